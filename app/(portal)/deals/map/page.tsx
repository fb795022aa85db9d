import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { readDealsPage } from '../page-query.ts'
import { dealsHref, filterOf } from '../query.ts'
import { MapPage } from './map-page.tsx'

export const metadata: Metadata = { title: 'Map' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, isPhone } = await readDealsPage(searchParams, '/deals/map')
  const state = await prefetch(dealsHref(query, '/deals/map'), ({ deals }) =>
    deals.map.fetch({ filter: filterOf(query, today) }),
  )
  return (
    <Prefetched state={state}>
      <MapPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
