import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { HomePage } from './home/home-page.tsx'
import { homeHref, readHomeQuery } from './home/query.ts'

export const metadata: Metadata = { title: 'Home' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readHomeQuery(searchParams)
  return prefetched(homeHref(query), ({ insight }) => insight.home.fetch(query), <HomePage />)
}
