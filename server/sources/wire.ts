import { z } from 'zod'
import { RowId, line } from '../values/input.ts'
import { pollS } from './policy.ts'

export const NameSource = z.object({ id: RowId })

export const Name = line(100).min(1, { error: 'must not be empty' })
/** Removes what is often copied along with a secret: quotes, `Bearer`, and invisible characters. */
const unwrapped = (copied: string) =>
  copied
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^["'“‘](.*)["'”’]$/, '$1')
    .replace(/^bearer\s+/i, '')

/** A token, or the URL of a database. */
export const Secret = line(2000).overwrite(unwrapped).min(1, { error: 'must not be empty' })
const PollS = z
  .int({ error: 'must be a whole number' })
  .min(pollS.min, { error: `must be at least ${pollS.min}` })
  .max(pollS.max, { error: `must be at most ${pollS.max}` })

export const ConnectSource = z.object({ kind: z.literal('hubspot'), name: Name, secret: Secret })
export type ConnectSource = z.infer<typeof ConnectSource>

export const SetSecret = z.object({ id: RowId, secret: Secret })
/** The CRM's webhook signing secret. With null, no webhooks are accepted. */
export const SetSigningSecret = z.object({ id: RowId, secret: Secret.nullable() })
export const SetPoll = z.object({ id: RowId, pollS: PollS })

/** A mapping of a value to a partner, or to null for no partner. */
export const AssignPartner = z.object({
  id: RowId,
  /** Empty for deals without a value. */
  value: line(1000),
  partner: line(63).nullable(),
  /** True to send the partner webhooks for the deals that it receives. */
  events: z.boolean(),
})
export type AssignPartner = z.infer<typeof AssignPartner>

export const ApproveRemovals = z.object({
  id: RowId,
  count: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
})
