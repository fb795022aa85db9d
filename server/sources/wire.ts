import { z } from 'zod'
import { parseDatabaseUrl } from '#db/database-url.ts'
import { RowId, line, text } from '../protocol/input.ts'
import { utc } from '../protocol/zone.ts'
import { ZoneName } from './mapping.ts'
import { pollS } from './policy.ts'

/** A source, by its id. */
export const NameSource = z.object({ id: RowId })

const Name = line(100).min(1, { error: 'must not be empty' })
const Secret = line(2000).min(1, { error: 'must not be empty' })
const PollS = z
  .int({ error: 'must be a whole number' })
  .min(pollS.min, { error: `must be at least ${pollS.min}` })
  .max(pollS.max, { error: `must be at most ${pollS.max}` })

/** A HubSpot account to connect. */
export const ConnectSource = z.object({ kind: z.literal('hubspot'), name: Name, secret: Secret })
export type ConnectSource = z.infer<typeof ConnectSource>

/** Returns whether the driver can read a URL. */
function isDatabaseUrl(url: string): boolean {
  try {
    decodeURIComponent(/^\w+:\/\/([^/?#]*)@/.exec(url)?.[1] ?? '')
    return parseDatabaseUrl(url) !== null
  } catch {
    return false
  }
}

/** A database to connect, by command only: the portal must not reach arbitrary hosts. */
export const ConnectSql = z.object({
  kind: z.literal('sql'),
  name: Name,
  secret: Secret.regex(/^postgres(?:ql)?:\/\/[^/]+\/.+$/, {
    error: 'must look like postgres://user:password@host:5432/database',
  }).refine(isDatabaseUrl, {
    error: 'must be a URL; write special characters of the user and password as %2F (/), %40 (@), %25 (%)',
  }),
  query: text(20_000).min(1, { error: 'must not be empty' }),
  zone: ZoneName.default(utc),
})
export type ConnectSql = z.infer<typeof ConnectSql>

/** A new token. */
export const SetSecret = z.object({ id: RowId, secret: Secret })
/** The CRM's webhook signing secret; null: no webhooks are accepted. */
export const SetSigningSecret = z.object({ id: RowId, secret: Secret.nullable() })
export const SetPoll = z.object({ id: RowId, pollS: PollS })

/** Maps a value to a partner; null for none. */
export const AssignPartner = z.object({
  id: RowId,
  /** Empty: for deals without a value. */
  value: line(1000),
  partner: line(63).nullable(),
  /** Whether the partner gets webhooks for the deals it receives. */
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
