/** The two addresses: `deal.created` goes to `create`, `deal.updated` to `update`. */
export type EndpointKind = 'create' | 'update'

/** Failed: the schedule is used up, the address was cleared, or the delivery was withdrawn. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** Why a delivery is never sent again: its deal moved to another partner, has none any more, or was removed. */
export type WithdrawnBecause = 'moved' | 'unassigned' | 'removed'

/** When a delivery is tried again, and until when an address may fail. */
export interface RetryRules {
  /** Waits before the first, second, … attempt, in milliseconds. */
  scheduleMs: readonly number[]
  /** What is waited at least after a time-out or a 429, in milliseconds. */
  throttleMs: number
}

/** What of an answer decides how it goes on. */
export interface Verdict {
  /** Null when no answer came. */
  status: number | null
  /** Whether the answer is whole. */
  whole: boolean
  timedOut: boolean
  /** The `Retry-After` header as received. */
  retryAfter: string | null
}

/** What becomes of a delivery after an attempt: done, or tried again after `waitMs`. */
export type Plan = { state: 'delivered' | 'failed'; waitMs: null } | { state: 'waiting'; waitMs: number }

// The schedule's own ±20 % less what a busy worker may come late by.
const jitter = 0.15

/**
 * Returns what becomes of a delivery after the attempt number `step` (from 0) of its schedule. A 2xx that
 * came whole is delivered. Otherwise the next wait of the schedule follows, jittered by `random` (0 to 1), at
 * least the throttle after a time-out or 429, and as long as `Retry-After` asks, up to twice of it.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * "Deliverability and reliability"
 */
export function planNext(verdict: Verdict, step: number, rules: RetryRules, now: Date, random: number): Plan {
  if (isDelivered(verdict)) return { state: 'delivered', waitMs: null }
  const gapMs = rules.scheduleMs[step + 1]
  if (gapMs === undefined) return { state: 'failed', waitMs: null }
  const jittered = gapMs * (1 + jitter * (2 * random - 1))
  const throttled =
    verdict.timedOut || verdict.status === 429 ? Math.max(jittered, rules.throttleMs) : jittered
  const asked = retryAfterMs(verdict.retryAfter, now) ?? 0
  return { state: 'waiting', waitMs: Math.round(Math.max(throttled, Math.min(asked, 2 * throttled))) }
}

export function isDelivered({ status, whole }: Pick<Verdict, 'status' | 'whole'>): boolean {
  return whole && status !== null && status >= 200 && status < 300
}

/**
 * Returns the wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), or null when it says
 * nothing that makes sense.
 */
export function retryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null
  if (/^\d{1,10}$/.test(header.trim())) return Number(header) * 1000
  const at = /[a-z]{3}, \d/i.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
