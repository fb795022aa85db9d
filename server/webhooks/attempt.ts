import { randomUUID } from 'node:crypto'
import { retryAfterMs } from '../values/units.ts'
import { type RetryRules, planNext } from './delivery.ts'
import type { Leased, Recorded } from './queue-store.ts'
import type { SafeFetch } from './safe-fetch.ts'
import { sign, timestampOf } from './signature.ts'

export interface AttemptDeps {
  safeFetch: SafeFetch
  retry: RetryRules
  /** Timeout of the whole request, from resolving the host name to the last byte of the response. */
  timeoutMs: number
}

/** The result of an attempt. It is recorded unchanged unless the endpoint asked for fewer requests. */
export interface Attempted extends Recorded {
  retryAfterMs: number | null
}

/**
 * Makes one attempt of a delivery. Returns the result and the next step. Signs exactly the bytes that are
 * sent.
 * @param mayBegin called right before the first byte is sent; if false, nothing is sent
 */
export async function makeAttempt(
  {
    id,
    lease,
    messageId,
    url,
    step,
    body: text,
  }: Pick<Leased, 'id' | 'lease' | 'messageId' | 'url' | 'step' | 'body'>,
  secrets: string[],
  deps: AttemptDeps,
  mayBegin?: () => boolean,
): Promise<Attempted> {
  const startedAt = new Date()
  const body = Buffer.from(text)
  const signature = sign({ id: messageId, at: startedAt, body }, secrets)
  const headers = requestHeaders(messageId, startedAt, signature)
  const answer = await deps.safeFetch.post(url, headers, body, deps.timeoutMs, mayBegin)
  const now = new Date()
  const { timedOut: _timedOut, retryAfter, ...response } = answer
  return {
    ...response,
    ...planNext(answer, step, deps.retry, now, Math.random()),
    id,
    lease,
    startedAt,
    url,
    signature,
    pauseMs: null,
    isFree: false,
    retryAfterMs: retryAfterMs(retryAfter, now.getTime()),
  }
}

/** Makes one attempt without recording it in the log. */
export const attemptOnce = (url: string, body: string, secrets: string[], deps: AttemptDeps) =>
  // A step beyond the end of every schedule, so the attempt is not retried.
  makeAttempt({ id: 0, lease: 0, messageId: randomUUID(), url, step: 1000, body }, secrets, deps)

/** Returns the request headers for an event. */
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
