import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { DeliveriesPage } from './deliveries-page.tsx'
import { deliveriesHref, listInput, readDeliveriesQuery } from './query.ts'

export const metadata: Metadata = { title: 'Deliveries' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readDeliveriesQuery(searchParams)
  const nowMs = Date.now()
  const state = await prefetch(deliveriesHref(query), ({ accounts, deliveries }) =>
    Promise.all([
      accounts.me.fetch(),
      deliveries.day.fetch(),
      deliveries.list.fetchInfinite(listInput(query, nowMs)),
    ]),
  )
  return (
    <Prefetched state={state}>
      <DeliveriesPage openedMs={nowMs} />
    </Prefetched>
  )
}
