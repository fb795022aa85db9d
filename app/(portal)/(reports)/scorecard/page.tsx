import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { scorecardQuery } from './query.ts'
import { ScorecardPage } from './scorecard-page.tsx'

export const metadata: Metadata = { title: 'Scorecard' }

export default queryPage(
  scorecardQuery,
  ({ insight }, { window }) => insight.scorecard.fetch({ window }),
  <ScorecardPage />,
)
