import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { DealsPage } from './deals-page.tsx'
import { dealsHref, dealsInput, pageNumber } from './paging.ts'

export const metadata: Metadata = { title: 'Deals' }

export default async function Page({ searchParams }: { searchParams: Promise<{ page?: string | string[] }> }) {
  const page = pageNumber((await searchParams).page)
  const state = await prefetch(dealsHref(page), ({ deals }) => deals.list.fetch(dealsInput(page)))
  return <Prefetched state={state}><DealsPage page={page} /></Prefetched>
}
