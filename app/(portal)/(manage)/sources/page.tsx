import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { SourcesPage } from './sources-page.tsx'

export const metadata: Metadata = { title: 'Sources' }

export default function Page() {
  return prefetched('/sources', ({ sources }) => sources.list.fetch(), <SourcesPage />)
}
