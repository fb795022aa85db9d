import { z } from 'zod'
import { note } from '../access/audited.ts'
import { runExport } from '../access/exports.ts'
import { forManagers, router } from '../access/procedure.ts'
import { BigRowId, Time, text } from '../values/input.ts'
import { type StoredEntry, readAll, readEntries } from './store.ts'

/** Filters for audit entries. */
const AuditFilter = z.object({
  /** Text contained in the actor, the action's label, or the subject. */
  text: text(200).optional(),
  since: Time.optional(),
  until: Time.optional(),
})

/** `cursor` is the `next` value of the previous page. */
const ListAudit = AuditFilter.extend({
  cursor: BigRowId.nullish(),
  limit: z.number().int().min(1).max(100).default(50),
})

export const auditRouter = router({
  /**
   * Returns a page of the tenant's audit entries, newest first, and the `next` cursor or null. A page can be
   * short even if more pages follow.
   */
  list: forManagers
    .input(ListAudit)
    .query(({ ctx: { db, tenant }, input: { cursor, limit, ...filter } }) =>
      readEntries(db, tenant, filter, { behind: cursor ?? null, limit }),
    ),
})

/** Procedures that return streams; only this process's route handlers may call them. */
export const auditStreams = router({
  /** Returns a function that yields all matching entries in batches. */
  export: forManagers.input(AuditFilter).query(
    ({ ctx, input }) =>
      (write: (entries: StoredEntry[]) => Promise<void>): Promise<void> =>
        runExport(ctx.services, ctx.actor, write, async (take) => {
          await note(ctx, { action: 'audit.exported' })
          for await (const entries of readAll(ctx.db, ctx.tenant, input)) await take(entries)
        }),
  ),
})
