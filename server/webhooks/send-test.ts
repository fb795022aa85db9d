import { randomBytes } from 'node:crypto'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { type EventType, eventTypesOf, renderEvent } from '../deals/event.ts'
import { renderDeal, renderRemoved } from '../deals/render.ts'
import { type AttemptDeps, attemptOnce, makeAttempt } from './attempt.ts'
import { isUrlKind } from './delivery.ts'
import { type Finding, type TestResult, diagnose } from './diagnosis.ts'
import { type Recorded, leaseTest, recordAttempts } from './queue-store.ts'
import { readSecrets } from './secret-store.ts'
import { makeSecret } from './signature.ts'
import { type Endpoint, recordCheck } from './store.ts'

export type TestDeps = AttemptDeps & { encryptionKey: Buffer }

/**
 * Sends a single test event to an endpoint immediately, even if the endpoint is disabled. The delivery
 * appears in the log. The event is signed with `secrets` or, by default, with the partner's secrets. Returns
 * undefined if the endpoint has been removed.
 */
export async function sendTest(
  db: Database,
  partnerId: PartnerId,
  endpoint: Endpoint,
  deps: TestDeps,
  secrets?: string[],
): Promise<TestResult | undefined> {
  const signing =
    secrets ?? (await readSecrets(db, partnerId, deps.encryptionKey)).map(({ secret }) => secret)
  const { kind } = endpoint
  // The lease outlasts the attempt, so no worker takes the delivery in the meantime.
  const leased = await leaseTest(db, { partnerId, kind }, testOf(endpoint), deps.timeoutMs + 10_000)
  if (leased === undefined) return undefined
  const attempt = await makeAttempt(leased, signing, deps)
  await recordAttempts(db, [attempt], Infinity)
  // A test with other secrets proves nothing about the partner's events.
  if (secrets === undefined) await recordCheck(db, partnerId, leased.url, answerOf(attempt))
  return resultOf(attempt)
}

/** Returns the cause of a failed test: the status or the connection error. Null if the test was accepted. */
function answerOf({ state, error, status }: TestResult): string | null {
  return state === 'delivered' ? null : (error ?? String(status))
}

/**
 * Sends a test event with an invalid signature. The event is not a delivery and does not appear in the log.
 */
async function sendForgery(endpoint: Endpoint, deps: AttemptDeps): Promise<TestResult> {
  return resultOf(await attemptOnce(endpoint.url, testOf(endpoint), [makeSecret(randomBytes)], deps))
}

const resultOf = ({
  id,
  state,
  status,
  error,
  durationMs,
  responseHeaders,
  responseBody,
}: Recorded): TestResult => ({ id, state, status, error, durationMs, responseHeaders, responseBody })

/** Returns a test event of the first type that an endpoint receives. */
function testOf({ kind, events, terms }: Pick<Endpoint, 'kind' | 'events' | 'terms'>): string {
  const [type] = isUrlKind(kind) ? eventTypesOf(kind) : (events as [EventType])
  return renderTest(type, new Date(), terms === null ? '' : ',"filter":"entered"')
}

/**
 * Returns the body of a test event for a nonexistent deal, outside the sequence of events. Inserts `more`
 * before its end.
 */
export function renderTest(type: EventType, timestamp: Date, more = ''): string {
  const dealJson =
    type === 'deal.removed'
      ? renderRemoved(0n)
      : renderDeal({ id: 0n, dealname: 'Test event', stage: 'Permit Submitted' })
  const changes =
    type !== 'deal.updated'
      ? []
      : [{ field: 'stage' as const, from: '"NTP Review"', to: '"Permit Submitted"' }]
  const body = renderEvent({ type, timestamp, sequence: 0, dealId: 0n, dealJson, changes })
  return `${body.slice(0, -1)}${more},"test":true}`
}

/** The result of checking an endpoint. */
export interface Examination {
  url: string
  findings: Finding[]
  /** Delivery of the test event, or null if no test event was sent. */
  deliveryId: number | null
}

/**
 * Checks an endpoint: connects, sends a test event and, if the endpoint accepts that event, sends another
 * with an invalid signature.
 */
export async function examine(
  db: Database,
  partnerId: PartnerId,
  endpoint: Endpoint,
  deps: TestDeps,
): Promise<Examination> {
  const { url } = endpoint
  const contact = await deps.safeFetch.contact(url, deps.timeoutMs)
  if (contact.stoppedBy !== null) await recordCheck(db, partnerId, url, contact.error)
  const test = contact.stoppedBy === null ? await sendTest(db, partnerId, endpoint, deps) : undefined
  const forgery = test?.state === 'delivered' ? await sendForgery(endpoint, deps) : undefined
  return {
    url,
    findings: diagnose({ url, contact, test, forgery, timeoutMs: deps.timeoutMs }, new Date()),
    deliveryId: test?.id ?? null,
  }
}
