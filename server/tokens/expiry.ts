import { dayMs } from '../values/units.ts'
import { type Zone, addDays, startOfDay } from '../values/zone.ts'
import { expiryAfter } from './token.ts'

/** Time before expiry from which a token counts as expiring soon. */
const soonMs = 7 * dayMs

// An expiry later than this is considered a typo.
const expiryMaxMs = 3660 * dayMs

export interface TokenFacts {
  expiresAt: Date | null
  revokedAt: Date | null
  /** Id of the token that replaces this one. */
  replacedById: number | null
  /** True if the partner is suspended. */
  isSuspended: boolean
}

/**
 * State of a token: `works` is active, `replaced` is still valid, and `suspended` is due to the partner's
 * suspension.
 */
export type TokenState = 'works' | 'expires-soon' | 'replaced' | 'suspended' | 'expired' | 'revoked'

/** Returns the state of a token at `now`. */
export function stateOf(
  { expiresAt, revokedAt, replacedById, isSuspended }: TokenFacts,
  now: Date,
): TokenState {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (isSuspended) return 'suspended'
  if (replacedById !== null) return 'replaced'
  return expiresAt !== null && expiresAt.getTime() - now.getTime() <= soonMs ? 'expires-soon' : 'works'
}

/** Returns the expiry after a time span such as `30d`, null for `never`, and undefined for any other text. */
export function endAfter(span: string, now: Date): Date | null | undefined {
  return span === 'never' ? null : (expiryAfter(span, now) ?? undefined)
}

/**
 * Returns the end of a day such as `2026-03-01` in a zone, or undefined if in the past or over ten years
 * ahead.
 */
export function endOfDay(day: string, zone: Zone, now: Date): Date | undefined {
  if (Number.isNaN(Date.parse(day))) return undefined
  const end = new Date(startOfDay(addDays(day, 1), zone))
  const leftMs = end.getTime() - now.getTime()
  return leftMs > 0 && leftMs <= expiryMaxMs ? end : undefined
}

/** Returns the expiry of a token that replaces another, with the same lifetime. */
export function endOfSuccessor(
  { createdAt, expiresAt }: { createdAt: Date; expiresAt: Date | null },
  now: Date,
): Date | null {
  return expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime())
}

/**
 * Returns the expiry of a replaced token: `now`, or after a time span such as `24h`, but no later than its
 * own expiry. Null if the span is invalid.
 */
export function endOfReplaced(expiresAt: Date | null, grace: string, now: Date): Date | null {
  const end = grace === 'now' ? now : expiryAfter(grace, now)
  return end === null || expiresAt === null || end < expiresAt ? end : expiresAt
}
