import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { DataIssuesPage } from './data-issues-page.tsx'

export const metadata: Metadata = { title: 'Data issues' }

export default async function Page() {
  const state = await prefetch('/data-issues', ({ dataQuality }) => dataQuality.counts.fetch())
  return (
    <Prefetched state={state}>
      <DataIssuesPage />
    </Prefetched>
  )
}
