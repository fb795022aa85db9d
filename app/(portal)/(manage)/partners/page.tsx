import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { PartnersPage } from './partners-page.tsx'
import { partnersFilter, partnersHref, readPartnersQuery } from './query.ts'

export const metadata: Metadata = { title: 'Partners' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readPartnersQuery(searchParams)
  return prefetched(
    partnersHref(query),
    ({ partners }) => partners.list.fetchInfinite(partnersFilter(query)),
    <PartnersPage />,
  )
}
