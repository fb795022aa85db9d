import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { trendsQuery } from '../query.ts'
import { TrendsPage } from './trends-page.tsx'

export const metadata: Metadata = { title: 'Trends' }

export default queryPage(
  trendsQuery,
  ({ insight }, { months, unit, by: slice }) =>
    Promise.all([insight.trends.fetch({ months, unit }), insight.slicedTrends.fetch({ months, slice })]),
  <TrendsPage />,
)
