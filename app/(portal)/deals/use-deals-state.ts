'use client'

import { useQueryStates } from 'nuqs'
import { createParser } from 'nuqs/server'
import { useCallback } from 'react'
import { navigateAfter } from '#app/ui/link.tsx'
import { type DealsState, dealsParsers, viewQuery } from './query.ts'

/** Changes to the query; null removes the parameter. */
export type ChangeDealsState = (
  patch: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }>,
) => void

/** Returns whether a change removes the opened view's whole query: such a URL would open the view again. */
const isEmptied = (state: DealsState, patch: Parameters<ChangeDealsState>[0]) =>
  patch.view === undefined && viewQuery({ ...state, ...patch }) === ''

/** Returns the state of the page, kept in the query string. Changes do not request the page from the server. */
export function useDealsState(): [DealsState, ChangeDealsState] {
  const [state, setState] = useQueryStates(dealsParsers)
  return [
    state,
    (patch) => navigateAfter(setState(isEmptied(state, patch) ? { ...patch, view: null } : patch)),
  ]
}

/** The query state shared by the header, filters and list of a page. */
export interface DealsQuery {
  state: DealsState
  change: ChangeDealsState
  /** The server's day. */
  today: string
}

/** The previewed deal, if any, and a function that previews another. */
export interface Peek {
  id: string | null
  show: (id: string | null) => void
}

const parsers = {
  peek: createParser({ parse: (text) => (/^-?\d{1,19}$/.test(text) ? text : null), serialize: String }),
}

/** Keeps the previewed deal in the URL: Back closes it. */
export function usePeek(): Peek {
  const [{ peek: id }, set] = useQueryStates(parsers)
  const isOpen = id !== null
  const show = useCallback(
    (next: string | null) =>
      navigateAfter(set({ peek: next }, { history: isOpen || next === null ? 'replace' : 'push' })),
    [set, isOpen],
  )
  return { id, show }
}
