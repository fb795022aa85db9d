import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { readZone } from '#app/trpc-server.ts'
import { AuditPage } from './audit-page.tsx'
import { auditFilter, auditQuery } from './query.ts'

export const metadata: Metadata = { title: 'Audit log' }

export default queryPage(
  auditQuery,
  async ({ audit }, query) => audit.list.fetchInfinite(auditFilter(query, await readZone())),
  <AuditPage />,
)
