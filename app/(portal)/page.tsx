import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OverviewPage } from './overview/overview-page.tsx'

export const metadata: Metadata = { title: 'Overview' }

export default async function Page() {
  const state = await prefetch('/', ({ insight, tokens, webhooks }) =>
    Promise.all([
      insight.overview.fetch(),
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
