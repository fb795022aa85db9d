import type { Database } from '#db/client.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import type { EndpointKind } from '../delivery.ts'
import type { AttemptDeps } from '../dispatcher/attempt.ts'
import { sendForgery, sendTest } from '../send-test.ts'
import { recordCheck, readEndpointUrls } from '../store.ts'
import { type Finding, diagnose } from './diagnosis.ts'

/** The result of a check. */
export interface Examination {
  url: string
  findings: Finding[]
  /** The delivery of the test event; null if none was sent. */
  deliveryId: number | null
}

/**
 * Checks an endpoint: connects to it, sends a test event and, if that is accepted, another one with an
 * invalid signature. Returns undefined if the endpoint is not set.
 */
export async function examine(
  db: Database,
  { partnerId, kind }: { partnerId: PartnerId; kind: EndpointKind },
  deps: AttemptDeps & { encryptionKey: Buffer },
): Promise<Examination | undefined> {
  const url = (await readEndpointUrls(db, partnerId))[kind]
  if (url === null) return undefined
  const contact = await deps.safeFetch.contact(url, deps.timeoutMs)
  if (contact.stoppedBy !== null) await recordCheck(db, partnerId, url, contact.error)
  const test = contact.stoppedBy === null ? await sendTest(db, { partnerId, kind }, deps) : undefined
  const forgery = test?.state === 'delivered' ? await sendForgery(url, kind, deps) : undefined
  return {
    url,
    findings: diagnose({ url, contact, test, forgery, timeoutMs: deps.timeoutMs }, new Date()),
    deliveryId: test?.id ?? null,
  }
}
