import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { readWeekQuery, weekHref } from './query.ts'
import { WeekPage } from './week-page.tsx'

export const metadata: Metadata = { title: 'Week' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readWeekQuery(searchParams)
  const state = await prefetch(weekHref(query), ({ insight }) =>
    Promise.all([insight.week.fetch(query), insight.home.prefetch({ show: 'everyone' })]),
  )
  return (
    <Prefetched state={state}>
      <WeekPage />
    </Prefetched>
  )
}
