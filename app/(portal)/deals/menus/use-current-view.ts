'use client'

import { trpc } from '#app/trpc.ts'
import { type DealsState, normalQuery, viewQuery } from '../query.ts'

/** The named view that one started from, or null, and whether something else is shown by now. */
export function useCurrentView(state: DealsState) {
  const { data } = trpc.views.list.useQuery(undefined, { enabled: state.view !== null })
  const view = data?.find(({ id }) => id === state.view) ?? null
  return { view, isChanged: view !== null && normalQuery(view.query) !== viewQuery(state) }
}

export type CurrentView = ReturnType<typeof useCurrentView>
