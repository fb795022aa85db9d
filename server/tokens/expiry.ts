import { dayMs } from '../values/units.ts'
import { type Zone, addDays, startOfDay } from '../values/zone.ts'
import { expiryAfter } from './token.ts'

/** How long before its expiry a token is expiring soon. */
const soonMs = 7 * dayMs

// A later day is considered a typo.
const expiryMaxMs = 3660 * dayMs

/** The facts that determine a token's state. */
export interface TokenFacts {
  expiresAt: Date | null
  revokedAt: Date | null
  /** The token that replaced it. */
  replacedById: number | null
  /** Whether its partner is suspended. */
  isSuspended: boolean
}

/**
 * The state of a token: active, expiring within 7 days, replaced but still valid, suspended with its partner,
 * or ended.
 */
export type TokenState = 'works' | 'expires-soon' | 'replaced' | 'suspended' | 'expired' | 'revoked'

/** Returns the state of a token. */
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

/**
 * Returns the expiry of a token with `span` from now on: a span such as `30d`, or `never`, which is null.
 * Returns undefined for anything else.
 */
export function endAfter(span: string, now: Date): Date | null | undefined {
  return span === 'never' ? null : (expiryAfter(span, now) ?? undefined)
}

/**
 * Returns the end of a day such as `2026-03-01` in a zone, or undefined if it is past or more than ten years
 * ahead.
 */
export function endOfDay(day: string, zone: Zone, now: Date): Date | undefined {
  if (Number.isNaN(Date.parse(day))) return undefined
  const end = new Date(startOfDay(addDays(day, 1), zone))
  const leftMs = end.getTime() - now.getTime()
  return leftMs > 0 && leftMs <= expiryMaxMs ? end : undefined
}

/** Returns the expiry of a successor, which is valid for the same time as the original token. */
export function endOfSuccessor(
  { createdAt, expiresAt }: { createdAt: Date; expiresAt: Date | null },
  now: Date,
): Date | null {
  return expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime())
}

/**
 * Returns the expiry of a replaced token after `grace`, `now` or a span such as `24h`, never later than its
 * own expiry. Returns null for anything else.
 */
export function endOfReplaced(expiresAt: Date | null, grace: string, now: Date): Date | null {
  const end = grace === 'now' ? now : expiryAfter(grace, now)
  return end === null || expiresAt === null || end < expiresAt ? end : expiresAt
}
