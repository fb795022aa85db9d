import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { changeDeals, failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import { closeAfterEach } from '#e2e/dispatchers.ts'
import { openQueue } from '#e2e/queue-fixture.ts'
import { leaseDue, recordAttempts } from './queue-store.ts'

const { keep } = closeAfterEach()
const { db: queueDb, url: databaseUrl, makeIds } = await openQueue()

const address = 'https://a.example/'

/**
 * Returns a pool whose single connection stalls after this many more messages to the database, as if its
 * process were paused.
 */
async function pausingPool() {
  let left = Infinity
  const paused = Promise.withResolvers<void>()
  const { hostname, port } = new URL(databaseUrl)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.on('data', (message) => {
      if (left === 0) return paused.resolve()
      left--
      far.write(message)
    })
    // When the response arrives, the database has completed the statement.
    far.on('data', (message) => (left === 0 ? paused.resolve() : near.write(message)))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) })
  const db = openDatabase(url.href, 1)
  keep({
    async close() {
      await db.$client.end({ timeout: 0 })
      server.close()
    },
  })
  await db.$client`select 1`
  return {
    db,
    paused: paused.promise,
    pauseAfter(messages: number) {
      left = messages
    },
  }
}

/**
 * Pauses a worker after this many messages while it records an attempt. Meanwhile, another worker records an
 * attempt for the same partner.
 */
async function recordPaused(
  known: 'for the first time' | 'again',
  messages: number,
): Promise<{ wasPaused: boolean; otherTookMs: number }> {
  const partnerId = await makeReceivingPartner(queueDb, { create: address, update: address })
  const ids = makeIds(3)
  await changeDeals(queueDb, partnerId, ids)
  await changeDeals(queueDb, partnerId, ids)
  const [first, second, third] = await leaseDue(queueDb, { partnerId, kind: 'create' }, 3, [], 60_000)
  const worker = await pausingPool()
  if (known === 'again') await recordAttempts(worker.db, [outcomeOf(first!)], 1e12)
  worker.pauseAfter(messages)
  // The most complex case, in which other deliveries wait behind this one and its endpoint is disabled.
  const recording = recordAttempts(worker.db, [outcomeOf(second!, failure(60_000, 410))], 1e12).catch(
    () => {},
  )
  const wasPaused = await Promise.race([worker.paused.then(() => true), recording.then(() => false)])
  const at = performance.now()
  expect((await recordAttempts(queueDb, [outcomeOf(third!)], 1e12)).ids).toEqual(new Set([third!.id]))
  return { wasPaused, otherTookMs: performance.now() - at }
}

test.each(['for the first time', 'again'] as const)(
  'a worker paused at any moment of recording, %s on its connection, blocks no other worker',
  async (known) => {
    for (let messages = 0; ; messages++) {
      const { wasPaused, otherTookMs } = await recordPaused(known, messages)
      expect(otherTookMs).toBeLessThan(3000)
      if (!wasPaused) return expect(messages).toBeGreaterThan(1)
    }
  },
)
