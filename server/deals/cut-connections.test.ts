import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import { insertPartner } from '../accounts/store.ts'
import { jsonSource } from '../readers/json-source.ts'
import { importDeals } from '../records/import-deals.ts'
import { readMatching } from '../search/export-store.ts'
import { initialSort } from '../search/wire.ts'
import { utc } from '../values/zone.ts'
import { writeDeals } from './deal-writer.ts'

// Tests work that continues after its connection was cut, when another transaction already uses the same slot
// of the pool.

const database = useDatabase()
let db: Database
let partnerId: number
beforeAll(async () => {
  await database.db.$client`create table kept (id integer)`
  partnerId = (await insertPartner(database.db, 'acme', 'A partner'))!.id
  await writeDeals(database.db, [{ record: { id: 1n }, partnerId }], { now: new Date(), events: false })
  // A pool with one connection, which all transactions share.
  db = openDatabase(database.url, 1)
})
beforeEach(async () => void (await database.db.$client`truncate kept`))
afterAll(async () => {
  await db.$client.end({ timeout: 5 })
})

/** Terminates all other connections, and waits until the pool has reconnected. */
async function cutAll(): Promise<void> {
  await database.db
    .$client`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  for (let stands = false; !stands;)
    stands = await db.$client`select 1`.then(
      () => true,
      () => sleep(5, false),
    )
}

/** Starts a transaction, performs an action in the middle, and commits. Returns the committed rows. */
async function commitHalves(between: () => Promise<unknown>): Promise<number[]> {
  await db.$client.begin(async (sql) => {
    await sql`insert into kept values (1)`
    await between()
    await sql`insert into kept values (2)`
  })
  return (await database.db.$client<{ id: number }[]>`select id from kept order by id`).map(({ id }) => id)
}

const isConnection = async () => (await db.$client<[{ one: number }]>`select 1 as one`)[0].one === 1

test('an export occupies no connection while its reader is slow, so a lost connection does not end the export', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const exporting = readMatching(db, { tenant: everyone, filter: {}, zone: utc }, initialSort, () => {
    begun.resolve()
    return released.promise
  }).catch((error: unknown) => error)
  await begun.promise
  await cutAll()
  expect(
    await commitHalves(async () => {
      released.resolve()
      expect(await exporting).toBeUndefined()
    }),
  ).toEqual([1, 2])
  expect(await isConnection()).toBe(true)
})

test('a deal write fails as a whole when cut, and the next transaction on the connection is intact', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // Drizzle's transactions use the driver's transactions.
  const writing = db
    .transaction(async (tx) => {
      await tx.execute('insert into kept values (3)')
      begun.resolve()
      await released.promise
      await tx.execute('insert into kept values (4)')
    })
    .catch((error: unknown) => error)
  await begun.promise
  await cutAll()
  expect(
    await commitHalves(async () => {
      released.resolve()
      expect(await writing).toMatchObject({ code: 'CONNECTION_CLOSED' })
    }),
  ).toEqual([1, 2])
  expect(await isConnection()).toBe(true)
})

test.each([
  ['while it looks for repeated ids', 1],
  ['while it reads the records', 2],
])(
  'an import cut %s is retried, and the next transaction on the connection is intact',
  async (_when, reading) => {
    const [begun, released, again] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ]
    const superseded: number[] = []
    let readings = 0
    const source = {
      ...jsonSource(''),
      async *items() {
        const isHeld = ++readings === reading
        if (readings > reading) again.resolve()
        // Repeats 1,250 IDs, which is more than one read returns, so that some are still unread when the
        // import starts writing.
        for (let line = 1; line <= 2500; line++) {
          if (isHeld && line === 500) {
            begun.resolve()
            await released.promise
          }
          const raw = Buffer.from(`{"id":${reading}${1000 + (line % 1250)},"stage":"${reading}"}`)
          yield { line, size: raw.length, raw }
        }
      },
    }
    const importing = importDeals(
      db,
      source,
      {
        partner: { id: partnerId, slug: 'acme' },
        partners: [],
        dryRun: false,
        events: false,
      },
      { rejected() {}, unknown() {}, superseded: (line) => superseded.push(line), progress() {} },
    )
    await begun.promise
    await cutAll()
    expect(
      await commitHalves(async () => {
        released.resolve()
        await again.promise
      }),
    ).toEqual([1, 2])
    expect(await importing).toEqual({ created: 1250, updated: 0, unchanged: 0, rejected: 0, unreadable: 0 })
    expect(superseded).toEqual(Array.from({ length: 1250 }, (_, index) => index + 1))
    expect(await isConnection()).toBe(true)
  },
)
