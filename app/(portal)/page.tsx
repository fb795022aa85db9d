import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OverviewPage } from './overview/overview-page.tsx'

export const metadata: Metadata = { title: 'Overview' }

export default async function Page() {
  const state = await prefetch('/', ({ insight, tokens }) =>
    Promise.all([insight.overview.fetch(), tokens.expiring.fetch()]),
  )
  return (
    <Prefetched state={state}>
      <OverviewPage />
    </Prefetched>
  )
}
