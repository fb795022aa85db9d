'use client'

import { parseAsString, useQueryState } from 'nuqs'
import { useCallback } from 'react'

const inUrl = parseAsString.withOptions({ history: 'push' })

/** Returns the county or state that the map shows, kept in the query string, and how to go to another; null is the country. */
export function usePlace(): [string | null, (place: string | null) => void] {
  const [place, setPlace] = useQueryState('at', inUrl)
  const goTo = useCallback((next: string | null) => void setPlace(next), [setPlace])
  return [place, goTo]
}
