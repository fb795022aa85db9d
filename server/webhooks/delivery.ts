import { retryAfterMs } from '../values/units.ts'
import type { Answer } from './safe-fetch.ts'

/** The two URLs of a partner. `eventTypes` maps event types to these URLs. */
export const urlKinds = ['create', 'update'] as const
export type EndpointKind = (typeof urlKinds)[number]

/** Identifies an endpoint of a partner: one of the two URLs, or a subscription by id. */
export type EndpointKey = string

/** Returns true if the endpoint is one of the two URLs. */
export const isUrlKind = (key: EndpointKey): key is EndpointKind =>
  (urlKinds as readonly string[]).includes(key)

/** Format of a subscription's id, which is safe in SQL statements and notifications. */
export const subscriptionId = /^[0-9a-f]{12}$/

/** A delivery fails when its schedule is exhausted, its endpoint is removed, or the delivery is withdrawn. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/**
 * Reason why a delivery was withdrawn: its deal moved to another partner, lost its partner, or was removed.
 */
export type WithdrawnBecause = 'moved' | 'unassigned' | 'removed'

/** Rules for retrying deliveries. */
export interface RetryRules {
  /** Delays before the first, second, … attempt, in milliseconds. */
  scheduleMs: readonly number[]
  /** Minimum delay after a timeout or a 429, in milliseconds. */
  throttleMs: number
}

/** Next step after an attempt of a delivery: done, or another attempt after `waitMs`. */
export type NextStep = { state: 'delivered' | 'failed'; waitMs: null } | { state: 'waiting'; waitMs: number }

// The schedule's ±20 %, minus the delay that a busy worker may add.
const jitter = 0.15

/**
 * Returns the next step after attempt number `step` (starting at 0). A complete 2xx response means delivered.
 * Otherwise, the next scheduled delay applies, jittered by `random` (0 to 1). After a timeout or a 429, the
 * delay is at least the throttle. It follows `Retry-After` up to twice the scheduled delay. @see
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md "Deliverability
 * and reliability"
 */
export function planNext(
  response: Pick<Answer, 'status' | 'error' | 'timedOut' | 'retryAfter'>,
  step: number,
  rules: RetryRules,
  now: Date,
  random: number,
): NextStep {
  if (isDelivered(response)) return { state: 'delivered', waitMs: null }
  const gapMs = rules.scheduleMs[step + 1]
  if (gapMs === undefined) return { state: 'failed', waitMs: null }
  const jittered = gapMs * (1 + jitter * (2 * random - 1))
  const throttled =
    response.timedOut || response.status === 429 ? Math.max(jittered, rules.throttleMs) : jittered
  const requestedMs = retryAfterMs(response.retryAfter, now.getTime()) ?? 0
  return { state: 'waiting', waitMs: Math.round(Math.max(throttled, Math.min(requestedMs, 2 * throttled))) }
}

/** Returns true if the status means that the endpoint is receiving more requests than it accepts. */
export const isRefusal = (status: number | null) =>
  status === 429 || status === 502 || status === 503 || status === 504

/** Returns true if the response is a complete 2xx. */
export const isDelivered = ({ status, error }: Pick<Answer, 'status' | 'error'>) =>
  error === null && status !== null && status >= 200 && status < 300
