import type { Metadata } from 'next'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { ImportsPage } from './imports-page.tsx'

export const metadata: Metadata = { title: 'Imports' }

/** `?partner=<slug>` is the partner that deals are brought in for. */
export default async function Page({ searchParams }: { searchParams: Promise<{ partner?: string | string[] }> }) {
  const { partner } = await searchParams
  const wanted = typeof partner === 'string' ? partner : null
  const path = wanted === null ? '/imports' : `/imports?${new URLSearchParams({ partner: wanted })}`
  const state = await prefetch(path, ({ accounts, imports }) => Promise.all([imports.list.fetchInfinite({}), accounts.partners.fetch(), accounts.me.fetch()]))
  return <Prefetched state={state}><ImportsPage wantedPartner={wanted} /></Prefetched>
}
