import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { DeliveriesPage } from './deliveries-page.tsx'
import { deliveriesQuery, listInput } from './query.ts'

export const metadata: Metadata = { title: 'Deliveries' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await deliveriesQuery.read(searchParams)
  const nowMs = Date.now()
  return prefetched(
    deliveriesQuery.href(query),
    ({ deliveries }) => deliveries.list.fetchInfinite(listInput(query, nowMs)),
    <DeliveriesPage openedMs={nowMs} />,
  )
}
