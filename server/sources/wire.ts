import { z } from 'zod'
import { RowId, line } from '../protocol/input.ts'
import { pollS } from './policy.ts'
import { sourceKinds } from './source-kind.ts'

/** A source, by its id. */
export const NameSource = z.object({ id: RowId })

const Name = line(100).min(1, { error: 'must not be empty' })
const Secret = line(2000).min(1, { error: 'must not be empty' })
const PollS = z
  .int({ error: 'must be a whole number' })
  .min(pollS.min, { error: `must be at least ${pollS.min}` })
  .max(pollS.max, { error: `must be at most ${pollS.max}` })

/** A source to be connected. */
export const ConnectSource = z.object({ kind: z.enum(sourceKinds), name: Name, secret: Secret })
export type ConnectSource = z.infer<typeof ConnectSource>

/** A new token. */
export const SetSecret = z.object({ id: RowId, secret: Secret })
export const SetPoll = z.object({ id: RowId, pollS: PollS })

/** Which partner a value means; null: none. */
export const AssignPartner = z.object({
  id: RowId,
  value: line(1000).min(1, { error: 'must not be empty' }),
  partner: line(63).nullable(),
  /** Whether the partner is told of deals that it gets by this. */
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
