import { afterAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import type { Caller } from '#server/admission/admission.ts'
import { RequestWork, StatementGate, asLongWork, withinWork } from '#server/admission/slots.ts'
import { type Database, openDatabase } from './client.ts'

const limits = {
  atOnce: 2,
  perGroup: 1,
  perMember: 1,
  longAtOnce: 1,
  longPerGroup: 1,
  waitingPerMember: 2,
  waitingInAll: 10,
}
const caller = (partner: number): Caller => ({
  kind: 'partner',
  group: `partner ${partner}`,
  member: 'token 1',
})

const database = await openTestDatabase()
let gate: StatementGate
let db: Database
const open: Database[] = []
beforeEach(async () => {
  gate = new StatementGate(limits)
  db = openDatabase(database.url, 4, {}, gate)
  open.push(db)
  await db.$client`select 1`
})
afterAll(async () => {
  for (const { $client } of open) await $client.end({ timeout: 1 })
})

/** Runs work as a partner's request. `cancel` ends the request as if the client had disconnected. */
function request<T>(partner: number, run: () => Promise<T>) {
  const work = new RequestWork(caller(partner))
  const done = withinWork(work, run).finally(() => work.end())
  done.catch(() => {})
  return { done, cancel: () => work.cancel() }
}

/** Takes a lock for which statements wait until `free` is called. */
async function holdLock() {
  const [locked, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = database.db.$client.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(7)`
    locked.resolve()
    await freed.promise
  })
  await locked.promise
  return async () => {
    freed.resolve()
    await holding
  }
}

const waitForLock = () => db.$client`select pg_advisory_lock(7), pg_advisory_unlock(7)`
const waiting = async () =>
  Number(
    (await database.db.$client`select count(*) from pg_locks where not granted and objid = 7`)[0]!['count'],
  )

test("runs another caller's statement while one caller has many waiting", async () => {
  const free = await holdLock()
  const first = Array.from({ length: 3 }, () => request(1, async () => waitForLock()))
  await expect.poll(waiting).toBe(1)
  expect(gate.slots.counts.partner).toMatchObject({ admitted: 1, waiting: 2 })
  expect(await request(2, async () => db.$client`select 2 as two`).done).toEqual([{ two: 2 }])
  await expect(request(1, async () => waitForLock()).done).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  })
  await free()
  await Promise.all(first.map(({ done }) => done))
  expect(gate.slots.running).toBe(0)
})

test('cancels running statements in the database, drops waiting ones, and keeps the slot until both have ended', async () => {
  const free = await holdLock()
  const running = request(1, async () => waitForLock())
  await expect.poll(waiting).toBe(1)
  const queued = request(1, async () => db.$client`select pg_notify('never', '')`)
  queued.cancel()
  await expect(queued.done).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  expect(gate.slots.running).toBe(1)
  running.cancel()
  await expect(running.done).rejects.toMatchObject({ code: '57014' })
  expect([gate.slots.running, await waiting()]).toEqual([0, 0])
  await free()
})

test('rolls back the transaction of a cancelled request and releases its slot once', async () => {
  await database.db.$client`create table if not exists kept (id int)`
  const free = await holdLock()
  const transaction = request(1, () =>
    db.transaction(async (tx) => {
      await tx.execute('insert into kept values (1)')
      // Drizzle's nested transactions are savepoints.
      await tx.transaction((nested) => nested.execute('select pg_advisory_xact_lock(7)'))
    }),
  )
  await expect.poll(waiting).toBe(1)
  transaction.cancel()
  await expect(transaction.done).rejects.toMatchObject({ cause: { code: '57014' } })
  await free()
  expect(gate.slots.running).toBe(0)
  expect(await db.$client`select * from kept`).toEqual([])
})

test('a transaction may use the pool without a second slot', async () => {
  const both = await request(1, () =>
    db.$client.begin(async (sql) => [
      ...(await sql`select 1 as n`),
      ...(await asLongWork(() => db.$client`select ${2}::int as n`)),
      ...(await sql`select * from (${sql`select 3 as n`}) inner_query`),
    ]),
  ).done
  expect(both).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  expect(gate.slots.counts.partner.admitted).toBe(1)
})

test('releases slots after failed statements and transactions', async () => {
  const fails = [
    async () => void (await db.$client`select 1 / 0`),
    async () => void (await db.execute('select no_such_column')),
    async () => void (await db.$client.begin(async () => Promise.reject(new Error('ours')))),
    async () => void (await db.$client.begin((sql) => sql`select 1 / 0`)),
    // A value that the driver cannot send.
    async () => void (await db.$client`select ${undefined as never}`),
  ]
  for (const fail of fails) await expect(request(1, fail).done).rejects.toThrow()
  expect(gate.slots.running).toBe(0)
  expect(await request(1, async () => db.$client`select 1 as one`).done).toEqual([{ one: 1 }])
})
