import { z } from 'zod'
import { type Action, isAction } from './action.ts'

// What the database can hold, and nobody means a time beyond.
const time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))

/** Which entries of the audit. */
export const AuditFilter = z.object({
  action: z.custom<Action>((value) => typeof value === 'string' && isAction(value)).optional(),
  /** A part of who did it, or of what it was done to. */
  text: z.string().max(200).optional(),
  since: time.optional(),
  until: time.optional(),
})

/** `cursor` is the `next` of the page before. */
export const ListAudit = AuditFilter.extend({
  cursor: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullish(),
  limit: z.number().int().min(1).max(100).default(50),
})
