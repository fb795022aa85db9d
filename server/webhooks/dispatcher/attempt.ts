import { retryAfterMs } from '../../values/retry-after.ts'
import { type RetryRules, planNext } from '../delivery.ts'
import { sign, timestampOf } from '../signature.ts'
import type { Leased, Recorded } from './queue-store.ts'
import type { SafeFetch } from './safe-fetch.ts'

/** The dependencies of an attempt. */
export interface AttemptDeps {
  safeFetch: SafeFetch
  retry: RetryRules
  /** The timeout of the whole request, from resolving the host name to the last byte of the response. */
  timeoutMs: number
}

/** The result of an attempt, as recorded unless the endpoint is slowed. */
export interface Attempted extends Recorded {
  /** The delay that the endpoint asked for; null if it asked for none. */
  retryAfterMs: number | null
}

/**
 * Makes one attempt of a delivery: signs exactly the bytes that it sends, and returns the result and the next
 * step. @param mayBegin called when the first byte is about to be sent: false sends nothing
 */
export async function makeAttempt(
  { id, lease, messageId, url, step, body: text }: Leased,
  secrets: string[],
  deps: AttemptDeps,
  mayBegin?: () => boolean,
): Promise<Attempted> {
  const startedAt = new Date()
  const body = Buffer.from(text)
  const signature = sign({ id: messageId, at: startedAt, body }, secrets)
  const answer = await deps.safeFetch.post(
    url,
    requestHeaders(messageId, startedAt, signature),
    body,
    deps.timeoutMs,
    mayBegin,
  )
  const response = {
    status: answer.status,
    whole: answer.error === null,
    timedOut: answer.timedOut,
    retryAfter: answer.retryAfter,
  }
  const now = new Date()
  const { state, waitMs } = planNext(response, step, deps.retry, now, Math.random())
  const { status, error, durationMs, responseHeaders, responseBody } = answer
  return {
    id,
    lease,
    state,
    waitMs,
    startedAt,
    durationMs,
    url,
    signature,
    status,
    error,
    responseHeaders,
    responseBody,
    pauseMs: null,
    isFree: false,
    retryAfterMs: retryAfterMs(answer.retryAfter, now.getTime()),
  }
}

/** Returns the headers of an event's request. */
export function requestHeaders(
  messageId: string,
  startedAt: Date,
  signature: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Partner-Deals/1.0',
    'webhook-id': messageId,
    'webhook-timestamp': timestampOf(startedAt),
    'webhook-signature': signature,
  }
}
