import pino from 'pino'
import { afterAll, afterEach, expect, vi } from 'vitest'
import type { Database } from '#db/client.ts'
import { createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { parseCidrs } from '#server/net/ip-address.ts'
import type { Resolve } from '#server/net/resolve.ts'
import type { EndpointKey } from '#server/webhooks/delivery.ts'
import {
  type Dispatcher,
  type DispatcherOptions,
  startDispatcher,
} from '#server/webhooks/dispatcher/dispatcher.ts'
import { type Recorded, leaseDue, recordAttempts } from '#server/webhooks/queue-store.ts'
import { makeSafeFetch } from '#server/webhooks/safe-fetch.ts'
import type { EndpointUrls } from '#server/webhooks/store.ts'
import { type Queued, changeDeals, makeReceivingPartner, queueOf } from './delivery-queue.ts'
import { type Answer, type Receiver, startReceiver } from './receiver.ts'

/** Encryption key of all test dispatchers. */
export const encryptionKey = Buffer.alloc(32, 1)

/** A dispatcher that may connect to loopback addresses. */
export interface TestDispatcher extends Dispatcher {
  /** Stops the dispatcher if it is running, and closes its connections. */
  close(): Promise<void>
}

/** Starts a dispatcher. By default, it waits long for responses but only briefly between attempts. */
export function dispatcherOn(
  db: Database,
  {
    resolve = async () => ['127.0.0.1'],
    ...options
  }: Partial<DispatcherOptions> & { resolve?: Resolve } = {},
): TestDispatcher {
  const safeFetch = makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, resolve)
  const dispatcher = startDispatcher(db, {
    safeFetch,
    encryptionKey,
    leaseMs: 30_000,
    failingMs: 1e12,
    timeoutMs: 20_000,
    log: pino({ level: 'silent' }),
    retry: { scheduleMs: [0, ...Array<number>(20).fill(100)], throttleMs: 0 },
    ...options,
  })
  let stopped: Promise<void> | undefined
  const stop = (graceMs: number) => (stopped ??= dispatcher.stop(graceMs))
  return {
    endpointCount: dispatcher.endpointCount,
    stop,
    async close() {
      await stop(0)
      await safeFetch.close()
    },
  }
}

/**
 * For test files: returns functions that open resources, such as receivers. After each test, the resources
 * are closed in reverse order.
 */
export function closeAfterEach() {
  const opened: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close()
  })
  function keep<T extends { close(): Promise<unknown> }>(resource: T): T {
    opened.push(resource)
    return resource
  }
  const listen = async (answer?: Answer): Promise<Receiver> => keep(await startReceiver(answer))
  return { keep, listen }
}

/** How long a test waits for a dispatcher. */
export const patient = { timeout: 25_000, interval: 20 }

/**
 * Opens a database for a test file and drops it at the end. Returns the database and functions that fill and
 * read its queue.
 */
export async function openQueue() {
  const { db, url, drop } = await createTestDatabase()
  afterAll(drop)
  let lastId = 0n
  const makeId = () => ++lastId
  /** Returns the deliveries of a partner that have these properties. */
  const queue = async (partnerId: PartnerId, properties: Partial<Queued> = {}) =>
    (await queueOf(db, partnerId)).filter((row) =>
      Object.entries(properties).every(([name, value]) => row[name as keyof Queued] === value),
    )
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
    lease: (partnerId: PartnerId, kind: EndpointKey, limit = 100) =>
      leaseDue(db, { partnerId, kind }, limit, [], 60_000),
    /** Records outcomes. The limit for disabling endpoints is too high to be reached. */
    record: (...results: Recorded[]) => recordAttempts(db, results, 1e12),
    queue,
    /** Waits until this many deliveries of a partner have these properties. */
    untilQueued: (partnerId: PartnerId, count: number, properties?: Partial<Queued>) =>
      vi.waitFor(async () => expect(await queue(partnerId, properties)).toHaveLength(count), patient),
  }
}
