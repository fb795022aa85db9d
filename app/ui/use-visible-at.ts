import { useState } from 'react'

/**
 * Returns when the shown data was loaded, in milliseconds since 1970. For data kept from the previous query,
 * that is its own time: `dataUpdatedAt` is 0 then.
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
