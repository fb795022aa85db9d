import type { Database } from '#db/client.ts'
import type { AttemptDeps } from '../dispatcher/attempt.ts'
import type { EndpointName } from '../dispatcher/queue-store.ts'
import { sendForgery, sendTest } from '../send-test.ts'
import { recordCheck, readEndpoint } from '../store.ts'
import { type Finding, diagnose } from './diagnosis.ts'

/** The result of checking an endpoint. */
export interface Examination {
  url: string
  findings: Finding[]
  /** Delivery of the test event, or null if no test event was sent. */
  deliveryId: number | null
}

/**
 * Checks an endpoint: connects, sends a test event and, if the endpoint accepts that event, sends another
 * with an invalid signature. Returns undefined if the endpoint is not set.
 */
export async function examine(
  db: Database,
  { partnerId, kind }: EndpointName,
  deps: AttemptDeps & { encryptionKey: Buffer },
): Promise<Examination | undefined> {
  const endpoint = await readEndpoint(db, partnerId, kind)
  if (endpoint === undefined) return undefined
  const { url } = endpoint
  const contact = await deps.safeFetch.contact(url, deps.timeoutMs)
  if (contact.stoppedBy !== null) await recordCheck(db, partnerId, url, contact.error)
  const test = contact.stoppedBy === null ? await sendTest(db, { partnerId, kind }, deps) : undefined
  const forgery = test?.state === 'delivered' ? await sendForgery(endpoint, deps) : undefined
  return {
    url,
    findings: diagnose({ url, contact, test, forgery, timeoutMs: deps.timeoutMs }, new Date()),
    deliveryId: test?.id ?? null,
  }
}
