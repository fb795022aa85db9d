import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { DataIssuesPage } from './data-issues-page.tsx'

export const metadata: Metadata = { title: 'Data issues' }

export default function Page() {
  return prefetched('/data-issues', ({ dataQuality }) => dataQuality.counts.fetch(), <DataIssuesPage />)
}
