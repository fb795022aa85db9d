import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { DealsPage } from './deals-page.tsx'
import { readDealsPage } from './page-query.ts'
import { findInput, dealsHref } from './query.ts'

export const metadata: Metadata = { title: 'Deals' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, seesAllPartners, isPhone } = await readDealsPage(searchParams, '/deals')
  return prefetched(
    dealsHref(query),
    ({ deals }) => deals.find.fetchInfinite(findInput(query, today, seesAllPartners)),
    <DealsPage today={today} isPhone={isPhone} />,
  )
}
