import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { Prefetched } from '#app/providers.tsx'
import { prefetch, readZone } from '#app/trpc-server.ts'
import { AuditPage } from './audit-page.tsx'
import { auditFilter, auditHref, readAuditQuery } from './query.ts'

export const metadata: Metadata = { title: 'Audit log' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, zone] = await Promise.all([readAuditQuery(searchParams), readZone()])
  const state = await prefetch(auditHref(query), ({ accounts, audit }) =>
    Promise.all([accounts.me.fetch(), audit.list.fetchInfinite(auditFilter(query, zone))]),
  )
  return (
    <Prefetched state={state}>
      <AuditPage />
    </Prefetched>
  )
}
