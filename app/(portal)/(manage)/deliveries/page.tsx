import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { DeliveriesPage } from './deliveries-page.tsx'
import { deliveriesHref, listInput, readDeliveriesQuery } from './query.ts'

export const metadata: Metadata = { title: 'Deliveries' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readDeliveriesQuery(searchParams)
  const nowMs = Date.now()
  return prefetched(
    deliveriesHref(query),
    ({ accounts, deliveries }) =>
      Promise.all([accounts.me.fetch(), deliveries.list.fetchInfinite(listInput(query, nowMs))]),
    <DeliveriesPage openedMs={nowMs} />,
  )
}
