import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { readScorecardQuery, scorecardHref } from './query.ts'
import { ScorecardPage } from './scorecard-page.tsx'

export const metadata: Metadata = { title: 'Scorecard' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readScorecardQuery(searchParams)
  const state = await prefetch(scorecardHref(query), ({ insight }) =>
    insight.scorecard.fetch({ window: query.window }),
  )
  return (
    <Prefetched state={state}>
      <ScorecardPage />
    </Prefetched>
  )
}
