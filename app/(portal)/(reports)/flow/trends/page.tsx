import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readTrendQuery, trendHref } from './query.ts'
import { TrendsPage } from './trends-page.tsx'

export const metadata: Metadata = { title: 'Trends' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readTrendQuery(searchParams)
  const { months, unit, by: slice } = query
  return prefetched(
    trendHref(query),
    ({ insight }) =>
      Promise.all([insight.trends.fetch({ months, unit }), insight.slicedTrends.fetch({ months, slice })]),
    <TrendsPage />,
  )
}
