import { useState } from 'react'

/**
 * Returns when the data that a query shows was loaded, in milliseconds since 1970. While data of the previous
 * query is kept it is the time of that data: `dataUpdatedAt` is 0 then, as for data that never came.
 */
export function useShownAt({
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
