import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { prefetched } from '#app/prefetched.tsx'
import { readZone } from '#app/trpc-server.ts'
import { AuditPage } from './audit-page.tsx'
import { auditFilter, auditHref, readAuditQuery } from './query.ts'

export const metadata: Metadata = { title: 'Audit log' }

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [query, zone] = await Promise.all([readAuditQuery(searchParams), readZone()])
  return prefetched(
    auditHref(query),
    ({ accounts, audit }) =>
      Promise.all([accounts.me.fetch(), audit.list.fetchInfinite(auditFilter(query, zone))]),
    <AuditPage />,
  )
}
