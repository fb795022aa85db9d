import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { HomePage } from './home/home-page.tsx'
import { homeHref, readHomeQuery } from './home/query.ts'

export const metadata: Metadata = { title: 'Home' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readHomeQuery(searchParams)
  const state = await prefetch(homeHref(query), ({ insight }) => insight.home.fetch(query))
  return (
    <Prefetched state={state}>
      <HomePage />
    </Prefetched>
  )
}
