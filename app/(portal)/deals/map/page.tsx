import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readZone } from '#app/trpc-server.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { openView } from '../open-view.ts'
import { dealsHref, filterOf, readDealsQuery } from '../query.ts'
import { MapPage } from './map-page.tsx'

export const metadata: Metadata = { title: 'Map' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, requestHeaders] = await Promise.all([readDealsQuery(searchParams), headers()])
  await openView(query, '/deals/map')
  const today = dayOf(new Date(), await readZone())
  const state = await prefetch(dealsHref(query, '/deals/map'), ({ deals }) =>
    deals.map.fetch({ filter: filterOf(query, today) }),
  )
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return (
    <Prefetched state={state}>
      <MapPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
