import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { ImportsPage } from './imports-page.tsx'

export const metadata: Metadata = { title: 'Imports' }

export default async function Page() {
  const state = await prefetch('/imports', ({ accounts, imports }) =>
    Promise.all([imports.list.fetchInfinite({}), accounts.partners.fetch(), accounts.me.fetch()]),
  )
  return (
    <Prefetched state={state}>
      <ImportsPage />
    </Prefetched>
  )
}
