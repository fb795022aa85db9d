import { afterAll } from 'vitest'
import { createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import type { EndpointKind } from '#server/webhooks/delivery.ts'
import { type Recorded, leaseDue, recordAttempts } from '#server/webhooks/dispatcher/queue-store.ts'
import type { EndpointUrls } from '#server/webhooks/store.ts'
import { changeDeals, makeReceivingPartner } from './delivery-queue.ts'

/** How long a test waits for a dispatcher. */
export const patient = { timeout: 25_000, interval: 20 }

/**
 * Opens a database for a test file and drops it at the end. Returns the database and functions that fill its
 * queue.
 */
export async function openQueue() {
  const { db, url, drop } = await createTestDatabase()
  afterAll(drop)
  let lastId = 0n
  const makeId = () => ++lastId
  return {
    db,
    url,
    makeId,
    makeIds: (count: number) => Array.from({ length: count }, makeId),
    makePartner: (endpoints?: Partial<EndpointUrls>) => makeReceivingPartner(db, endpoints),
    /** Creates a partner with both endpoints at this origin. */
    makePartnerAt: (origin: string) =>
      makeReceivingPartner(db, { create: `${origin}/`, update: `${origin}/` }),
    change: (partnerId: PartnerId, ...ids: bigint[]) => changeDeals(db, partnerId, ids),
    lease: (partnerId: PartnerId, kind: EndpointKind, limit = 100) =>
      leaseDue(db, { partnerId, kind }, limit, [], 60_000),
    /** Records outcomes. The limit for disabling endpoints is too high to be reached. */
    record: (...results: Recorded[]) => recordAttempts(db, results, 1e12),
  }
}
