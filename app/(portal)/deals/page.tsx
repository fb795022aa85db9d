import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { DealsPage } from './deals-page.tsx'
import { findInput } from './find-input.ts'
import { readDealsPage } from './page-query.ts'
import { dealsHref } from './query.ts'

export const metadata: Metadata = { title: 'Deals' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { query, today, seesAllPartners, isPhone } = await readDealsPage(searchParams, '/deals')
  const state = await prefetch(dealsHref(query), ({ deals }) =>
    deals.find.fetchInfinite(findInput(query, today, seesAllPartners)),
  )
  return (
    <Prefetched state={state}>
      <DealsPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
