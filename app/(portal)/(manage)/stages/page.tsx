import type { Metadata } from 'next'
import { prefetched } from '#app/prefetched.tsx'
import { StagesPage } from './stages-page.tsx'

export const metadata: Metadata = { title: 'Stages' }

export default function Page() {
  return prefetched('/stages', ({ stages }) => stages.editable.fetch(), <StagesPage />)
}
