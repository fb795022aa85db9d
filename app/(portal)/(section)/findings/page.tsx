import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { FindingsPage } from './findings-page.tsx'

export const metadata: Metadata = { title: 'Findings' }

export default async function Page() {
  const state = await prefetch('/findings', ({ findings }) => findings.counts.fetch())
  return (
    <Prefetched state={state}>
      <FindingsPage />
    </Prefetched>
  )
}
