import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { SearchParams } from 'nuqs/server'
import { withPartner } from '#app/partner-href.ts'
import { procedures, readPageView } from '#app/trpc-server.ts'
import { dayOf } from '#server/values/zone.ts'
import { type DealsState, dealsHref, readDealsQuery, viewQuery } from './query.ts'

/**
 * Returns the query of a page of deals, today in its time zone, whether it shows all partners, and whether
 * the browser says it is a phone. Redirects a URL that names only a view, and `open=1`, the short
 * form of the filter of open deals.
 */
export async function readDealsPage(searchParams: Promise<SearchParams>, path: string) {
  const [query, requestHeaders, { partner, seesAllPartners, zone }] = await Promise.all([
    readDealsQuery(searchParams),
    headers(),
    readPageView(),
  ])
  if ((await searchParams).open === '1') {
    const open = { ...query, is: [...new Set([...query.is, 'open' as const])] }
    redirect(withPartner(dealsHref(open, path), partner))
  }
  await openView(query, path)
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return { query, today: dayOf(new Date(), zone), seesAllPartners, isPhone }
}

/** Redirects a URL that names only a view to the view's query; an unknown view shows all deals. */
async function openView(query: DealsState, path: string): Promise<void> {
  if (query.view === null || viewQuery(query) !== '') return
  const [{ partner }, { views }] = await Promise.all([readPageView(), procedures()])
  // Nobody is signed in, or access is denied.
  const list = await views.list().catch(() => [])
  const view = list.find(({ id }) => id === query.view)
  if (view === undefined) return
  const state = readDealsQuery(new URLSearchParams(view.query))
  if (viewQuery(state) !== '') redirect(withPartner(dealsHref({ ...state, view: view.id }, path), partner))
}
