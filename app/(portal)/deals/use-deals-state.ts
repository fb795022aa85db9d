'use client'

import { useQueryStates } from 'nuqs'
import { type DealsState, dealsParsers } from './query.ts'

/** Changes to the query; null removes the parameter. */
export type ChangeDealsState = (
  patch: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }>,
) => void

/** Returns the state of the page, kept in the query string. Changes do not request the page from the server. */
export function useDealsState(): [DealsState, ChangeDealsState] {
  const [state, setState] = useQueryStates(dealsParsers)
  return [state, (patch) => void setState(patch)]
}

/** What the head, the filters and the list of a page share. */
export interface DealsQuery {
  state: DealsState
  change: ChangeDealsState
  /** The server's day. */
  today: string
}
