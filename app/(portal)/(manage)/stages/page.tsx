import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { StagesPage } from './stages-page.tsx'

export const metadata: Metadata = { title: 'Stages' }

export default async function Page() {
  const state = await prefetch('/stages', ({ stages }) => stages.editable.fetch())
  return (
    <Prefetched state={state}>
      <StagesPage />
    </Prefetched>
  )
}
