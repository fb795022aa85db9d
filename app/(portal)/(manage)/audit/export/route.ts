import { csvAnswer } from '#app/csv-answer.ts'
import { inZone } from '#app/file-column.ts'
import { readZone, streamProcedures } from '#app/trpc-server.ts'
import type { StoredEntry } from '#server/audit/store.ts'
import { dayOf, wallClock } from '#server/values/zone.ts'
import { auditFilter, auditQuery, actionLabel } from '../query.ts'

/** Returns the matching entries as a CSV file. */
async function answer(request: Request): Promise<Response> {
  const zone = await readZone()
  return csvAnswer<StoredEntry>(
    request,
    `Audit log ${dayOf(new Date(), zone)}.csv`,
    [
      { title: inZone('Time', zone), cell: ({ at }) => wallClock(at.getTime(), zone) },
      { title: 'Actor', cell: ({ who }) => who },
      { title: 'Action', cell: ({ action }) => actionLabel(action) },
      { title: 'Target', cell: ({ subject }) => subject },
      { title: 'Partner', cell: ({ partner }) => partner ?? '' },
      { title: 'IP address', cell: ({ address }) => address ?? '' },
    ],
    async () => (await streamProcedures()).audit.export(auditFilter(auditQuery.read(request), zone)),
  )
}

export { answer as GET, answer as HEAD }
