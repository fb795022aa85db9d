import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql } from 'postgres'
import { expect, test, beforeAll } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { upgradeProblem, connect, openDatabase, openPooledDatabase, withOwnConnection } from './client.ts'
import { openSocket } from './hosts.ts'

// Tests promises of the driver that depend on a patch (db/patches).

const database = await openTestDatabase()
beforeAll(async () => {
  await database.db.$client`create table kept (id integer)`
})

/** Closes the connection of a database process, as a restart of the database would. */
const cut = (pid: number) => database.db.$client`select pg_terminate_backend(${pid}, 5000)`

const isAsleep = async (pid: number) =>
  (await database.db.$client`select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`)
    .length > 0

test('a transaction whose connection is lost between statements fails completely', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const writing = sql.begin(async (transaction) => {
    const [{ pid }] = await transaction<[{ pid: number }]>`select pg_backend_pid() as pid`
    await transaction`insert into kept values (1)`
    await cut(pid)
    // Waits until the pool has reconnected.
    while (
      (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`.catch(() => [{ pid }]))[0].pid === pid
    )
      await sleep(10)
    await transaction`insert into kept values (2)`
  })
  await expect(writing).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await sql`select * from kept`).toEqual([])
  await sql.end({ timeout: 5 })
})

test('statements waiting in a transaction fail when the connection is lost', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const outcomes: PromiseSettledResult<unknown>[] = []
  const writing = sql.begin(async (transaction) => {
    const [{ pid }] = await transaction<[{ pid: number }]>`select pg_backend_pid() as pid`
    // PostgreSQL describes the first statement before running it, and the others wait for this description.
    const waiting = Promise.allSettled(
      ['a', 'b', 'c'].map((text) => transaction`select ${text}::text, pg_sleep(60)`),
    )
    await expect.poll(() => isAsleep(pid), { timeout: 20_000 }).toBe(true)
    await cut(pid)
    outcomes.push(...(await waiting))
  })
  await expect(writing).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  await expect.poll(() => outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await sql.end({ timeout: 5 })
})

test('later statements of a transaction whose connection was lost never run', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const writing = sql.begin(async (transaction) => {
    const [{ pid }] = await transaction<[{ pid: number }]>`select pg_backend_pid() as pid`
    const following = transaction`select pg_sleep(60)`
      .catch(() => transaction`insert into kept values (6)`.execute())
      .catch((error: unknown) => error)
    await expect.poll(() => isAsleep(pid)).toBe(true)
    await cut(pid)
    await following
  })
  await expect(writing).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await sql`select * from kept`).toEqual([])
  await sql.end({ timeout: 5 })
})

/** Returns a pool with one connection, and the socket of that connection. */
function openOne() {
  const { hostname: host, port } = new URL(database.url)
  const sockets: Socket[] = []
  const socket = () => {
    sockets.push(openSocket({ host, port: Number(port) }))
    return sockets.at(-1)!
  }
  return { sql: connect(database.url, { max: 1, socket } as object), sockets }
}

test('statements not sent on a lost connection are not sent on the next connection', async () => {
  const { sql, sockets } = openOne()
  await sql`select 1`
  sockets[0]!.destroy()
  // Runs before the driver learns that the socket is closed, which happens after this turn of the event loop.
  const unsent = new Promise((resolve) =>
    setImmediate(() => resolve(sql`insert into kept values (7)`.catch((error: unknown) => error))),
  )
  expect(await unsent).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await sql`select * from kept`).toEqual([])
  expect(sockets).toHaveLength(2)
  await sql.end({ timeout: 5 })
})

test('a new connection does not wait for the rollback on a lost one', async () => {
  const { sql, sockets } = openOne()
  const writing = sql.begin(async (transaction) => {
    await transaction`select 1`
    const asleep = transaction`select pg_sleep(60)`
    setTimeout(() => sockets[0]!.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' })), 100)
    await asleep
  })
  await expect(writing).rejects.toThrow()
  for (const one of [1, 2, 3]) expect(await sql`select ${one}::int as one`).toEqual([{ one }])
  await sql.end({ timeout: 5 })
})

test('statements queued in a failed transaction never run', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const failed = Promise.withResolvers<void>()
  let late = Promise.resolve<unknown>(null)
  const writing = sql.begin(async (transaction) => {
    late = failed.promise
      .then(() => transaction`insert into kept values (3)`)
      .catch((error: unknown) => error)
    await transaction`insert into kept values (4)`
    throw new Error('undone')
  })
  await expect(writing).rejects.toThrow('undone')
  await sql.begin(async (other) => {
    failed.resolve()
    expect(await late).toMatchObject({ code: 'TRANSACTION_ENDED' })
    await other`select 1`
  })
  expect(await sql`select * from kept`).toEqual([])
  await sql.end({ timeout: 5 })
})

test('a finished transaction rejects further statements', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const ended = await sql.begin((transaction) => ({ transaction }))
  await expect(ended.transaction`insert into kept values (5)`).rejects.toMatchObject({
    code: 'TRANSACTION_ENDED',
  })
  expect(await sql`select * from kept`).toEqual([])
  await sql.end({ timeout: 5 })
})

test('a lost connection does not fail the next statement', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  const asleep = sql`select pg_sleep(60)`.catch((error: unknown) => error)
  await expect.poll(() => isAsleep(pid)).toBe(true)
  await cut(pid)
  expect(await asleep).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  await sql.end({ timeout: 5 })
})

test('rows of a failed statement never appear in the next result', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const failing = sql`select 1 / (5 - number) from generate_series(1, 9) number`
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  await sql.end({ timeout: 5 })
})

test('a transaction starts even if only one statement may run at a time', async () => {
  const { $client: sql } = openPooledDatabase(database.url, database.url)
  expect(await sql.begin((transaction) => transaction`select 1 as one`)).toEqual([{ one: 1 }])
  await sql.end({ timeout: 5 })
})

test('the pool does not reserve connections, because a reservation would outlive its connection', () => {
  expect(database.db.$client.reserve).toBeUndefined()
})

test('a dedicated connection has its own session outside the pool and closes after use', async () => {
  const pidOf = async (sql: ISql) => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
  const db = openDatabase(database.url, 1)
  const { pid, failure } = await withOwnConnection(db, async (own) => {
    await own`create temporary table mine (id integer)`
    expect(await own`show statement_timeout`).toEqual([{ statement_timeout: '0' }])
    expect(await db.$client`show statement_timeout`).toEqual([{ statement_timeout: '10s' }])
    const mine = await pidOf(own)
    expect(await pidOf(db.$client)).not.toBe(mine)
    await cut(mine)
    return {
      pid: mine,
      failure: await own`insert into mine values (1)`
        .catch(() => own`insert into mine values (1)`)
        .catch((error: unknown) => error),
    }
  })
  expect(failure).toMatchObject({ code: '42P01' })
  await expect
    .poll(
      () =>
        database.db
          .$client`select from pg_stat_activity where pid = ${pid} or query like 'insert into mine%'`,
    )
    .toEqual([])
  await db.$client.end({ timeout: 5 })
})

test('the pool and the process survive repeatedly lost connections', async () => {
  const { $client: sql } = openDatabase(database.url, 3)
  let cuts = 0
  const end = Date.now() + 2000
  const cutting = (async () => {
    while (Date.now() < end) {
      await database.db
        .$client`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      cuts++
      await sleep(15)
    }
  })()
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      while (Date.now() < end) {
        await sql
          .begin(async (transaction) => {
            for (let statement = 0; statement < 3; statement++)
              await transaction`select ${'x'.repeat(2000)} as wide`
          })
          .catch(() => sleep(5))
      }
    }),
  )
  await cutting
  expect(cuts).toBeGreaterThan(10)
  for (let query = 0; query < 20; query++) await sql`select 1`.catch(() => sleep(50))
  expect(
    await Promise.all(
      Array.from({ length: 20 }, () => sql.begin((transaction) => transaction`select 1 as one`)),
    ),
  ).toHaveLength(20)
  await sql.end({ timeout: 5 })
})

test('a COPY whose last row is rejected fails and leaves the connection usable', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  await sql`create table numbered (id integer primary key)`
  const copying = async (rows: string) => {
    const stream = await sql`copy numbered from stdin`.writable()
    await pipeline([rows], stream)
  }
  await copying('1\n2\n')
  await expect(copying('3\n2\n')).rejects.toMatchObject({ code: '23505' })
  await copying('3\n')
  expect(await sql`select id from numbered order by id`).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  await sql.end({ timeout: 5 })
})

const known = [{ when: 10 }, { when: 20 }, { when: 40 }]

test.each([null, 10, 20, 40, 50])('upgrades a database whose last migration is %s', (last) => {
  expect(upgradeProblem(last, known)).toBeNull()
})

test('for a database that is too old, names the version to upgrade to first', () => {
  expect(upgradeProblem(9, known)).toBe(
    'the database is of a version that is too old: upgrade to Partner Deals 1.1 first, start it once, and then upgrade to this version',
  )
})

test('rejects a database whose version was never released', () => {
  expect(upgradeProblem(30, known)).toMatch(/^the database was made by a version under development/)
})
