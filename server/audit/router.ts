import { note } from '../access/audited.ts'
import { runExport } from '../access/exports.ts'
import { forManagers, router } from '../access/procedure.ts'
import { type StoredEntry, readAll, readEntries } from './store.ts'
import { AuditFilter, ListAudit } from './wire.ts'

export const auditRouter = router({
  /**
   * Returns a page of audit entries within reach, newest first; `next` is the cursor of the following page,
   * null when there is none.
   */
  list: forManagers
    .input(ListAudit)
    .query(async ({ ctx: { db, reach }, input: { cursor, limit, ...filter } }) => {
      const rows = await readEntries(db, reach, filter, { behind: cursor ?? null, limit: limit + 1 })
      const entries = rows.slice(0, limit)
      return { entries, next: rows.length > limit ? entries.at(-1)!.id : null }
    }),
})

/** Streams for the route handlers of this process. */
export const auditStreams = router({
  /** Returns a function that yields all matching entries in batches. */
  export: forManagers.input(AuditFilter).query(
    ({ ctx, input }) =>
      (take: (entries: StoredEntry[]) => Promise<void>): Promise<void> =>
        runExport(ctx.services.exports, ctx.actor, async () => {
          await note(ctx, { action: 'audit.exported' })
          for await (const entries of readAll(ctx.db, ctx.reach, input)) await take(entries)
        }),
  ),
})
