import { headers } from 'next/headers'
import type { SearchParams } from 'nuqs/server'
import { readPageView } from '#app/trpc-server.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { openView } from './open-view.ts'
import { readDealsQuery } from './query.ts'

/**
 * Returns the query of a page of deals, today in its time zone, whether it shows all partners, and whether
 * the browser says it is a phone. Redirects a URL that names only a view.
 */
export async function readDealsPage(searchParams: Promise<SearchParams>, path: string) {
  const [query, requestHeaders] = await Promise.all([readDealsQuery(searchParams), headers()])
  await openView(query, path)
  const { seesAllPartners, zone } = await readPageView()
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return { query, today: dayOf(new Date(), zone), seesAllPartners, isPhone }
}
