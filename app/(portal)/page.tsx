import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { OverviewPage } from './overview/overview-page.tsx'

export const metadata: Metadata = { title: 'Overview' }

export default async function Page() {
  const state = await prefetch('/', ({ insight }) => insight.overview.fetch())
  return <Prefetched state={state}><OverviewPage /></Prefetched>
}
