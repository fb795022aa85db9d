import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { HealthPage } from './health-page.tsx'

export const metadata: Metadata = { title: 'Health' }

export default function Page() {
  return prefetched('/health', ({ health }) => health.read.fetch(), <HealthPage />)
}
