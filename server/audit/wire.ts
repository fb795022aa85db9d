import { z } from 'zod'
import { BigRowId, Time, text } from '../protocol/input.ts'
import { type Action, isAction } from './action.ts'

/** Which entries of the audit. */
export const AuditFilter = z.object({
  action: z.custom<Action>((value) => typeof value === 'string' && isAction(value)).optional(),
  /** A part of who did it, or of what it was done to. */
  text: text(200).optional(),
  since: Time.optional(),
  until: Time.optional(),
})

/** `cursor` is the `next` of the page before. */
export const ListAudit = AuditFilter.extend({
  cursor: BigRowId.nullish(),
  limit: z.number().int().min(1).max(100).default(50),
})
