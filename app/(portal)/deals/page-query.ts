import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { SearchParams } from 'nuqs/server'
import { procedures, readPageView } from '#app/trpc-server.ts'
import { withPartner } from '#app/ui/partner-href.ts'
import { dayOf } from '#server/values/zone.ts'
import { type DealsState, dealsHref, readDealsQuery, viewQuery } from './query.ts'

/**
 * Returns the query of a page of deals, the current day in the page's time zone, whether the page shows all
 * partners, and whether the browser claims to be a phone. Redirects URLs that only name a view or use the
 * short form `open=1`.
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
  await openView(query, path, partner)
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return { query, today: dayOf(new Date(), zone), seesAllPartners, isPhone }
}

/** Redirects a URL that only names a view to the view's query. */
async function openView(query: DealsState, path: string, partner: string | null): Promise<void> {
  if (query.view === null || viewQuery(query) !== '') return
  // Fails if nobody is signed in or access is denied, which the page itself reports.
  const list = await procedures()
    .then(({ views }) => views.list())
    .catch(() => [])
  const view = list.find(({ id }) => id === query.view)
  if (view === undefined) return
  const state = readDealsQuery(new URLSearchParams(view.query))
  if (viewQuery(state) !== '') redirect(withPartner(dealsHref({ ...state, view: view.id }, path), partner))
}
