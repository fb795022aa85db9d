import { csvAnswer } from '#app/csv-answer.ts'
import { streamProcedures } from '#app/trpc-server.ts'
import type { Entry } from '#server/audit/store.ts'
import { auditFilter, readAuditQuery } from '../query.ts'
import { said } from '../said.ts'

/** The entries of an address of the audit page as a CSV file. */
function answer(request: Request): Promise<Response> {
  return csvAnswer<Entry>(
    request,
    `Audit ${new Date().toISOString().slice(0, 10)}.csv`,
    [
      { title: 'When (UTC)', cell: ({ at }) => at.toISOString() },
      { title: 'Who', cell: ({ who }) => who },
      { title: 'What', cell: ({ action }) => said(action) },
      { title: 'Of what', cell: ({ subject }) => subject },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      { title: 'From address', cell: ({ address }) => address ?? '' },
    ],
    async () => (await streamProcedures()).audit.export(auditFilter(readAuditQuery(request))),
  )
}

export { answer as GET, answer as HEAD }
