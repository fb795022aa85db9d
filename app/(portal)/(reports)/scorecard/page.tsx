import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readScorecardQuery, scorecardHref } from './query.ts'
import { ScorecardPage } from './scorecard-page.tsx'

export const metadata: Metadata = { title: 'Scorecard' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readScorecardQuery(searchParams)
  return prefetched(
    scorecardHref(query),
    ({ insight }) => insight.scorecard.fetch({ window: query.window }),
    <ScorecardPage />,
  )
}
