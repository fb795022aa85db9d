import { trpc } from '#app/trpc.ts'
import { type DealsState, normalQuery, viewQuery } from './query.ts'

/** Returns the view that was opened, or null, and whether it was edited since. */
export function useCurrentView(state: DealsState) {
  const { data } = trpc.views.list.useQuery(undefined, { enabled: state.view !== null })
  const view = data?.find(({ id }) => id === state.view) ?? null
  return { view, isChanged: view !== null && normalQuery(view.query) !== viewQuery(state) }
}

export type CurrentView = ReturnType<typeof useCurrentView>

/** A saved view. */
export type SavedView = CurrentView['view'] & {}
