'use client'

import { useQueryStates } from 'nuqs'
import { type DealsState, dealsParsers } from './query.ts'

/** What the address is told to change; null is for what it is without the parameter. */
export type Change = (patch: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }>) => void

/** The state of the page, which is its address. The server is not asked for a page when it changes. */
export function useDealsState(): [DealsState, Change] {
  const [state, setState] = useQueryStates(dealsParsers)
  return [state, (patch) => void setState(patch)]
}
