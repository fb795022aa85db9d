import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from './client.ts'
import { type TestDatabase, createTestDatabase } from './test-database.ts'

// The driver's own promises, where a patch (db/patches) has to keep them.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.db.$client`create table kept (id integer)`
})
afterAll(() => database.drop())

/** Ends the connection of a process of the database, as a restart of it does. */
const cut = (pid: number) => database.db.$client`select pg_terminate_backend(${pid}, 5000)`

test('a transaction whose connection was cut between two statements fails, and nothing of it runs by itself', async () => {
  const { $client: sql } = openDatabase(database.url, 1)
  const writing = sql.begin(async (transaction) => {
    const [{ pid }] = await transaction<[{ pid: number }]>`select pg_backend_pid() as pid`
    await transaction`insert into kept values (1)`
    await cut(pid)
    // By now the one connection of the pool stands anew, for someone else.
    while ((await sql<[{ pid: number }]>`select pg_backend_pid() as pid`.catch(() => [{ pid }]))[0].pid === pid) await sleep(10)
    await transaction`insert into kept values (2)`
  })
  await expect(writing).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(await sql`select * from kept`).toEqual([])
  await sql.end({ timeout: 5 })
})

test('a pool whose connections are cut again and again goes on, and so does the process', async () => {
  const { $client: sql } = openDatabase(database.url, 3)
  let cuts = 0
  const end = Date.now() + 2000
  const cutting = (async () => {
    while (Date.now() < end) {
      await database.db.$client`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      cuts++
      await sleep(15)
    }
  })()
  await Promise.all(Array.from({ length: 12 }, async () => {
    while (Date.now() < end) {
      await sql.begin(async (transaction) => {
        for (let statement = 0; statement < 3; statement++) await transaction`select ${'x'.repeat(2000)} as wide`
      }).catch(() => sleep(5))
    }
  }))
  await cutting
  expect(cuts).toBeGreaterThan(10)
  for (let query = 0; query < 20; query++) await sql`select 1`.catch(() => sleep(50))
  expect(await Promise.all(Array.from({ length: 20 }, () => sql.begin((transaction) => transaction`select 1 as one`)))).toHaveLength(20)
  await sql.end({ timeout: 5 })
})
