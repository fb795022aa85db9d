import { useState } from 'react'

/**
 * Returns when the displayed data was loaded, in milliseconds since 1970. While data of the previous query is
 * displayed, returns that data's time, because `dataUpdatedAt` is 0.
 */
export function useVisibleAt({
  dataUpdatedAt,
  isPlaceholderData,
}: {
  dataUpdatedAt: number
  isPlaceholderData: boolean
}): number {
  const [shownAt, setShownAt] = useState(dataUpdatedAt)
  if (isPlaceholderData) return shownAt
  if (dataUpdatedAt !== shownAt) setShownAt(dataUpdatedAt)
  return dataUpdatedAt
}
