import { csvAnswer } from '#app/csv-answer.ts'
import { streamProcedures } from '#app/trpc-server.ts'
import type { StoredEntry } from '#server/audit/store.ts'
import { actionLabel } from '../action-label.ts'
import { auditFilter, readAuditQuery } from '../query.ts'

/** Answers with the entries that match the query as a CSV file. */
function answer(request: Request): Promise<Response> {
  return csvAnswer<StoredEntry>(
    request,
    `Audit log ${new Date().toISOString().slice(0, 10)}.csv`,
    [
      { title: 'Time (UTC)', cell: ({ at }) => at.toISOString() },
      { title: 'Actor', cell: ({ who }) => who },
      { title: 'Action', cell: ({ action }) => actionLabel(action) },
      { title: 'Target', cell: ({ subject }) => subject },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      { title: 'IP address', cell: ({ address }) => address ?? '' },
    ],
    async () => (await streamProcedures()).audit.export(auditFilter(readAuditQuery(request))),
  )
}

export { answer as GET, answer as HEAD }
