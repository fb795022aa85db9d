import { z } from 'zod'
import { BigRowId, Time, text } from '../values/input.ts'

/** Filters for audit entries. */
export const AuditFilter = z.object({
  /** Text contained in the actor, the action's label, or the subject. */
  text: text(200).optional(),
  since: Time.optional(),
  until: Time.optional(),
})

/** `cursor` is the `next` value of the previous page. */
export const ListAudit = AuditFilter.extend({
  cursor: BigRowId.nullish(),
  limit: z.number().int().min(1).max(100).default(50),
})
