'use client'

import { useQueryStates } from 'nuqs'
import { createParser } from 'nuqs/server'
import { useSyncExternalStore, useCallback } from 'react'
import { trpc } from '#app/trpc.ts'
import { navigateAfter } from '#app/ui/link.tsx'
import { type DealsState, normalQuery, viewQuery, dealsParsers } from './query.ts'

/** Changes the query parameters. Null removes a parameter. */
export type ChangeDealsState = (
  patch: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }>,
) => void

/** Returns true if a change leaves a URL with nothing but `view`, which would open the whole view again. */
const isEmptied = (state: DealsState, patch: Parameters<ChangeDealsState>[0]) =>
  patch.view === undefined && viewQuery({ ...state, ...patch }) === ''

/** Returns the state in the URL, and a function that changes it without a request for the page. */
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
  today: string
}

/** The previewed deal, if any, and a function that previews another deal. */
export interface Peek {
  id: string | null
  show: (id: string | null) => void
}

const parsers = {
  peek: createParser({ parse: (text) => (/^-?\d{1,19}$/.test(text) ? text : null), serialize: String }),
}

/** Keeps the ID of the previewed deal in the URL, so that Back closes the preview. */
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

/** Returns the opened view (or null), and whether it has unsaved changes. */
export function useCurrentView(state: DealsState) {
  const { data } = trpc.views.list.useQuery(undefined, { enabled: state.view !== null })
  const view = data?.find(({ id }) => id === state.view) ?? null
  return { view, isChanged: view !== null && normalQuery(view.query) !== viewQuery(state) }
}

export type CurrentView = ReturnType<typeof useCurrentView>

export type SavedView = CurrentView['view'] & {}

/** Returns true if the window matches the media query. On the server, returns `guess`. */
export function useMedia(query: string, guess: boolean): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => matchMedia(query).matches,
    () => guess,
  )
}
