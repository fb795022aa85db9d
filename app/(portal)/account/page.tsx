import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { AccountPage } from './account-page.tsx'

export const metadata: Metadata = { title: 'Account' }

export default async function Page() {
  const state = await prefetch('/account', ({ accounts }) => Promise.all([accounts.me.fetch(), accounts.sessions.fetch()]))
  return <Prefetched state={state}><AccountPage /></Prefetched>
}
