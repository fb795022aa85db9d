import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, test, vi } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { changeDeals } from '#e2e/delivery-queue.ts'
import { closeAfterEach, dispatcherOn } from '#e2e/dispatchers.ts'
import { openQueue, patient } from '#e2e/queue-fixture.ts'

const { keep, listen } = closeAfterEach()
const { db, url: databaseUrl, makeIds, makePartnerAt } = await openQueue()

/** Returns a dispatcher with its own pool. */
function send(options: Parameters<typeof dispatcherOn>[1] = {}): void {
  const pool = openDatabase(databaseUrl, 4)
  keep({ close: () => pool.$client.end({ timeout: 1 }) })
  keep(dispatcherOn(pool, options))
}

describe('a database with repeated outages', () => {
  test('while recording results costs no event, no second request and no result', async () => {
    const receiver = await listen(async () => {
      await sleep(30)
      return 200
    })
    const partnerId = await makePartnerAt(receiver.url)
    const killer = postgres(databaseUrl, { max: 1 })
    keep({ close: () => killer.end() })
    const ids = makeIds(100)
    for (let round = 0; round < 3; round++) await changeDeals(db, partnerId, ids)
    // Leases whose response was lost come back when the lease ends.
    send({ leaseMs: 3000 })
    for (let round = 0; round < 12; round++) {
      const before = receiver.requests.length
      await vi.waitFor(
        () => expect(receiver.requests.length > before || receiver.requests.length === 300).toBe(true),
        patient,
      )
      await killer`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    }
    await vi.waitFor(async () => {
      const [row] = await killer`
        select count(*)::integer as delivered, (select count(*)::integer from attempts join deliveries on id = delivery_id where partner_id = ${partnerId}) as attempts
        from deliveries where partner_id = ${partnerId} and state = 'delivered' and attempt_count = 1`
      expect(row).toEqual({ delivered: 300, attempts: 300 })
    }, patient)
    expect(receiver.requests).toHaveLength(300)
    expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(300)
  })
})
