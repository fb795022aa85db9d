import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readWeekQuery, weekHref } from './query.ts'
import { WeekPage } from './week-page.tsx'

export const metadata: Metadata = { title: 'Week' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readWeekQuery(searchParams)
  return prefetched(
    weekHref(query),
    ({ insight }) => Promise.all([insight.week.fetch(query), insight.home.prefetch({ show: 'everyone' })]),
    <WeekPage />,
  )
}
