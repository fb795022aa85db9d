import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OverviewPage } from './overview/overview-page.tsx'
import { overviewHref, readOverviewQuery } from './overview/query.ts'

export const metadata: Metadata = { title: 'Overview' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await readOverviewQuery(searchParams)
  const state = await prefetch(overviewHref(query), ({ insight, tokens, webhooks }) =>
    Promise.all([
      insight.overview.fetch(query),
      insight.money.fetch(),
      tokens.expiring.fetch(),
      webhooks.troubled.fetch(),
    ]),
  )
  return (
    <Prefetched state={state}>
      <OverviewPage />
    </Prefetched>
  )
}
