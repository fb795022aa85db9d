import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { HealthPage } from './health-page.tsx'

export const metadata: Metadata = { title: 'Health' }

export default async function Page() {
  const state = await prefetch('/health', ({ health }) => health.read.fetch())
  return (
    <Prefetched state={state}>
      <HealthPage />
    </Prefetched>
  )
}
