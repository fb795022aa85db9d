import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { PartnersPage } from './partners-page.tsx'
import { partnersFilter, partnersHref, readPartnersQuery } from './query.ts'

export const metadata: Metadata = { title: 'Partners' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readPartnersQuery(searchParams)
  const state = await prefetch(partnersHref(query), ({ partners }) =>
    partners.list.fetchInfinite(partnersFilter(query)),
  )
  return (
    <Prefetched state={state}>
      <PartnersPage />
    </Prefetched>
  )
}
