import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readDealsPage } from '../page-query.ts'
import { dealsHref, filterOf } from '../query.ts'
import { MapPage } from './map-page.tsx'

export const metadata: Metadata = { title: 'Map' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, isPhone } = await readDealsPage(searchParams, '/deals/map')
  return prefetched(
    dealsHref(query, '/deals/map'),
    ({ deals }) => deals.map.fetch({ filter: filterOf(query, today) }),
    <MapPage today={today} isPhone={isPhone} />,
  )
}
