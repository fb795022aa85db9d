import { z } from 'zod'
import { slugMaxLength } from '../accounts/slug.ts'
import { DisplayName } from '../accounts/wire.ts'
import { RowId, text } from '../values/input.ts'
import type { TokenState } from './expiry.ts'
import { type Scope, scopes } from './scope.ts'

/** Expiry of a new token: a span, never, or the end of a given day. */
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
    /** The last valid day, in the caller's zone; ignored for other spans. */
    day: z.union([z.literal(''), z.iso.date(dayMissing)], dayMissing),
  })
  .refine(({ span, day }) => span !== 'day' || day !== '', { path: ['day'], ...dayMissing })

export const RotateToken = ChosenToken.extend({ grace: z.enum(graces) })
export const RevokeToken = ChosenToken
export const ReadDays = ChosenToken

export const ListTokens = z.object({
  /** Lists ended tokens instead of active ones. */
  isEnded: z.boolean(),
  /** The owner's slug; null for the installer, omitted for all. */
  owner: text(slugMaxLength).nullable().optional(),
  /** The `next` of the previous page. */
  cursor: RowId.nullish(),
})

/** A token in a list. */
export interface TokenLine {
  id: number
  name: string
  /** The start of the token. */
  prefix: string
  scopes: Scope[]
  /** Whether the token is the key of a sheet link. */
  isSheet: boolean
  /** Null for the installer's staff. */
  partner: { slug: string; name: string } | null
  state: TokenState
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  /** The start of the successor. */
  replacedBy: string | null
  lastUse: { at: Date; from: string | null; by: string | null } | null
  requests: TokenRequests
}

/** Usage of a token; days are in UTC. */
interface TokenRequests {
  today: number
  /** In the last 7 days, including today. */
  week: number
  /** Requests of the week with a status of 400 or more. */
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
  /** A command that tries the token; null if its scopes allow no simple request. */
  curl: string | null
  expiresAt: Date | null
}
