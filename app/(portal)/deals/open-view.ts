import { redirect } from 'next/navigation'
import { withPartner } from '#app/partner-href.ts'
import { procedures, readPageView } from '#app/trpc-server.ts'
import { type DealsState, dealsHref, readDealsQuery, viewQuery } from './query.ts'

/** Redirects a URL that names only a view to the view's query; an unknown view shows all deals. */
export async function openView(query: DealsState, path: string): Promise<void> {
  if (query.view === null || viewQuery(query) !== '') return
  const [{ partner }, views] = await Promise.all([readPageView(), readViews()])
  const view = views.find(({ id }) => id === query.view)
  if (view === undefined) return
  const state = readDealsQuery(new URLSearchParams(view.query))
  if (viewQuery(state) !== '') redirect(withPartner(dealsHref({ ...state, view: view.id }, path), partner))
}

/** Returns the user's views, or [] when access is denied. */
async function readViews() {
  try {
    return await (await procedures()).views.list()
  } catch {
    return []
  }
}
