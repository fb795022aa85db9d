import { z } from 'zod'
import { DisplayName } from '../accounts/wire.ts'
import { RowId, text } from '../protocol/input.ts'
import type { TokenState } from './expiry.ts'
import { type Scope, scopes } from './scope.ts'

/** How long a new token works: for a span, for ever, or until the end of a day that is named beside. */
export const expiryChoices = ['30d', '90d', '365d', 'never', 'day'] as const

/** For how long a replaced token works on. */
export const graces = ['now', '1h', '24h', '7d'] as const

const ChosenToken = z.object({ id: RowId })

const dayMissing = { error: 'must be a day such as 2026-03-01' }

/** A token to be made. */
export const CreateToken = z
  .object({
    name: DisplayName,
    scopes: z.array(z.enum(scopes)).min(1, { error: 'must be one at least' }).max(scopes.length),
    span: z.enum(expiryChoices),
    /** The last day on which it works, in UTC; counts for nothing with another span. */
    day: z.union([z.literal(''), z.iso.date(dayMissing)], dayMissing),
  })
  .refine(({ span, day }) => span !== 'day' || day !== '', { path: ['day'], ...dayMissing })

export const RotateToken = ChosenToken.extend({ grace: z.enum(graces) })
export const RevokeToken = ChosenToken
export const ReadDays = ChosenToken

export const ListTokens = z.object({
  /** Those that have ended, or else those that work. */
  isEnded: z.boolean(),
  /** The slug of the partner whose they are; null: the installer's own; without it all within reach. */
  owner: text(63).nullable().optional(),
  /** The `next` of the page before. */
  cursor: RowId.nullish(),
})

/** A token as it is listed. */
export interface TokenLine {
  id: number
  name: string
  /** The start of its text. */
  prefix: string
  scopes: Scope[]
  /** Null for one of the installer's own staff. */
  partner: { slug: string; name: string } | null
  state: TokenState
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** The start of the token that has taken its place. */
  replacedBy: string | null
  lastUse: { at: Date; from: string | null; by: string | null } | null
  requests: TokenRequests
}

/** How often a token was used; days are of UTC. */
interface TokenRequests {
  today: number
  /** In the last 7 days, today included. */
  week: number
  /** Those of the week that were answered with a status of 400 or more. */
  weekErrors: number
}

/** How often a token was used on a day such as `2026-03-01`, in UTC. */
export interface TokenDay {
  day: string
  requests: number
  errors: number
}

/** A token that was just made: the one time that its text is given out. */
export interface NewToken {
  name: string
  token: string
  /** A command that works when it is pasted; null when there is nothing that it could simply ask. */
  curl: string | null
  expiresAt: Date | null
}
