import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readPageView, readZone } from '#app/trpc-server.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { DealsPage } from './deals-page.tsx'
import { findInput } from './find-input.ts'
import { openView } from './open-view.ts'
import { dealsHref, readDealsQuery } from './query.ts'

export const metadata: Metadata = { title: 'Deals' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, requestHeaders] = await Promise.all([readDealsQuery(searchParams), headers()])
  await openView(query, '/deals')
  const today = dayOf(new Date(), await readZone())
  const { seesAllPartners } = await readPageView()
  const state = await prefetch(dealsHref(query), ({ deals }) =>
    deals.find.fetchInfinite(findInput(query, today, seesAllPartners)),
  )
  const isPhone = /\bMobi/.test(requestHeaders.get('user-agent') ?? '')
  return (
    <Prefetched state={state}>
      <DealsPage today={today} isPhone={isPhone} />
    </Prefetched>
  )
}
