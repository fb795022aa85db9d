import { expiryAfter } from './token.ts'

const dayMs = 86_400_000

/** From how long before its end on a token is said to expire soon. */
const soonMs = 7 * dayMs

// A day beyond is taken for a slip of the hand.
const expiryMaxMs = 3660 * dayMs

/** What decides whether a token works. */
export interface TokenFacts {
  expiresAt: Date | null
  revokedAt: Date | null
  /** The token that has taken its place. */
  replacedById: number | null
  /** Whether its partner is suspended. */
  isSuspended: boolean
}

/** How a token does: it works, expires within 7 days, works until what replaced it is in use, waits for its partner to be resumed, or has ended. */
export type TokenState = 'works' | 'expires-soon' | 'replaced' | 'suspended' | 'expired' | 'revoked'

/** Returns how a token does. */
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
 * Returns when a token ends that lives for `span` from now on: a span such as `30d`, or `never`, which is
 * null. Undefined when it is neither.
 */
export function endAfter(span: string, now: Date): Date | null | undefined {
  return span === 'never' ? null : (expiryAfter(span, now) ?? undefined)
}

/**
 * Returns the end of a day such as `2026-03-01` (UTC), or undefined when that is past or more than ten years
 * ahead.
 */
export function endOfDay(day: string, now: Date): Date | undefined {
  const end = new Date(Date.parse(day) + dayMs)
  const leftMs = end.getTime() - now.getTime()
  return leftMs > 0 && leftMs <= expiryMaxMs ? end : undefined
}

/** Returns when the token ends that takes the place of another: it lives as long as that was made for. */
export function endOfSuccessor(
  { createdAt, expiresAt }: { createdAt: Date; expiresAt: Date | null },
  now: Date,
): Date | null {
  return expiresAt === null ? null : new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime())
}

/**
 * Returns when a replaced token ends that works on for `grace`, `now` or a span such as `24h`: never later
 * than it would have. Null when it is neither.
 */
export function endOfReplaced(expiresAt: Date | null, grace: string, now: Date): Date | null {
  const end = grace === 'now' ? now : expiryAfter(grace, now)
  return end === null || expiresAt === null || end < expiresAt ? end : expiresAt
}
