import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { SourcesPage } from './sources-page.tsx'

export const metadata: Metadata = { title: 'Sources' }

export default async function Page() {
  const state = await prefetch('/sources', ({ sources }) => sources.list.fetch())
  return (
    <Prefetched state={state}>
      <SourcesPage />
    </Prefetched>
  )
}
