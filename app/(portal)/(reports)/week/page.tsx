import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { weekQuery } from './query.ts'
import { WeekPage } from './week-page.tsx'

export const metadata: Metadata = { title: 'Week' }

export default queryPage(
  weekQuery,
  ({ insight }, query) =>
    Promise.all([insight.week.fetch(query), insight.home.prefetch({ show: 'everyone' })]),
  <WeekPage />,
)
