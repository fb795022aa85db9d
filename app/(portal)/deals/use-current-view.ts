import { trpc } from '#app/trpc.ts'
import { type DealsState, normalQuery, viewQuery } from './query.ts'

/** Returns the opened view (or null), and whether it has unsaved changes. */
export function useCurrentView(state: DealsState) {
  const { data } = trpc.views.list.useQuery(undefined, { enabled: state.view !== null })
  const view = data?.find(({ id }) => id === state.view) ?? null
  return { view, isChanged: view !== null && normalQuery(view.query) !== viewQuery(state) }
}

export type CurrentView = ReturnType<typeof useCurrentView>

export type SavedView = CurrentView['view'] & {}
