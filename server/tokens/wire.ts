import { z } from 'zod'
import { slugMaxLength } from '../accounts/partner.ts'
import { DisplayName } from '../accounts/wire.ts'
import { RowId, text } from '../values/input.ts'
import type { TokenState } from './expiry.ts'
import { type Scope, scopes } from './policy.ts'

/** Choices for the expiry of a new token: a time span, never, or the end of a given day. */
export const expiryChoices = ['30d', '90d', '365d', 'never', 'day'] as const

/** Grace periods of a replaced token. */
export const graces = ['now', '1h', '24h', '7d'] as const

const ChosenToken = z.object({ id: RowId })

const dayMissing = { error: 'must be a day such as 2026-03-01' }

/** A token to create. */
export const CreateToken = z
  .object({
    name: DisplayName,
    scopes: z.array(z.enum(scopes)).min(1, { error: 'must be one at least' }).max(scopes.length),
    span: z.enum(expiryChoices),
    /** Last valid day in the caller's zone. Ignored unless the expiry is `day`. */
    day: z.union([z.literal(''), z.iso.date(dayMissing)], dayMissing),
  })
  .refine(({ span, day }) => span !== 'day' || day !== '', { path: ['day'], ...dayMissing })

export const RotateToken = ChosenToken.extend({ grace: z.enum(graces) })
export const RevokeToken = ChosenToken
export const ReadDays = ChosenToken

export const ListTokens = z.object({
  /** True to list expired and revoked tokens instead of active tokens. */
  isEnded: z.boolean(),
  /** Slug of the owner, null for the installer, or omitted for all owners. */
  owner: text(slugMaxLength).nullable().optional(),
  /** The `next` value of the previous page. */
  cursor: RowId.nullish(),
})

export interface TokenLine {
  id: number
  name: string
  /** First characters of the token. */
  prefix: string
  scopes: Scope[]
  /** True if the token is the key of a sheet link. */
  isSheet: boolean
  /** Null for the installer's staff. */
  partner: { slug: string; name: string } | null
  state: TokenState
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** First characters of the token that replaces this one. */
  replacedBy: string | null
  lastUse: { at: Date; from: string | null; by: string | null } | null
  requests: TokenRequests
}

/** Usage of a token. Days are in UTC. */
interface TokenRequests {
  today: number
  /** Number of requests in the last 7 days, including today. */
  week: number
  /** Number of requests in the last 7 days with a status of 400 or more. */
  weekErrors: number
}

/** Usage of a token on a day such as `2026-03-01`, in UTC. */
export interface TokenDay {
  day: string
  requests: number
  errors: number
}

/** A new token, whose text is shown only once. */
export interface NewToken {
  name: string
  token: string
  /** A curl command that tries out the token, or null if its scopes do not allow a simple request. */
  curl: string | null
  expiresAt: Date | null
}
