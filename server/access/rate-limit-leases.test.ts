import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { returnRequests, leaseRequests, removeEndedWindows } from '../tokens/rate-store.ts'
import { RateLeases } from './rate-limit.ts'

// Several counters stand in for several processes; each counter has its own connections.

const max = 600

let database: TestDatabase
const pools: Database[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  pools.push(...[1, 2, 3].map(() => openDatabase(database.url, 2)))
})
afterAll(async () => {
  await Promise.all(pools.map(({ $client }) => $client.end()))
  await database.drop()
})

let statements = 0
let warnings: string[] = []
let processes: RateLeases[] = []
beforeEach(async () => {
  await database.db.$client`truncate rate_windows`
  statements = 0
  warnings = []
  // On a slow machine, a short timeout would make processes count without leases.
  processes = pools.map((db) => start(db, 60_000))
})
afterEach(() => Promise.all(processes.map((process) => process.stop())))

function start(db: Database, timeoutMs?: number): RateLeases {
  const store = {
    lease: (asked: Parameters<typeof leaseRequests>[1]) => {
      statements++
      return leaseRequests(db, asked)
    },
    release: (unused: Parameters<typeof returnRequests>[1]) => {
      statements++
      return returnRequests(db, unused)
    },
  }
  const warn = (_fields: unknown, message?: string) => void warnings.push(message!)
  return new RateLeases(store, { warn }, timeoutMs)
}

/**
 * Sends `count` requests with one token to the processes in turn, `atOnce` at a time. Returns how many are
 * allowed.
 */
async function send(count: number, to = processes, atOnce = 12): Promise<number> {
  let allowed = 0
  for (let sent = 0; sent < count; sent += atOnce) {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (_, at) => to[(sent + at) % to.length]!.count('token 1', max)),
    )
    allowed += answers.filter(({ isOver }) => !isOver).length
  }
  return allowed
}

const taken = async () =>
  (await database.db.$client<{ taken: number }[]>`select taken::integer from rate_windows`)[0]!.taken

test('a limit applies across all processes, with one statement per ten requests or so', async () => {
  const allowed = await send(3 * max)
  expect(allowed).toBeLessThanOrEqual(max)
  expect(allowed).toBeGreaterThanOrEqual(max * 0.9)
  expect(statements).toBeLessThan(150)
})

test('a process that starts after the limit is used up learns about it immediately', async () => {
  expect(await send(2 * max, processes.slice(0, 1))).toBe(max)
  expect(await send(12, processes.slice(1, 2))).toBe(0)
  const { isOver, remaining, resetMs } = await processes[2]!.count('token 1', max)
  expect({ isOver, remaining }).toEqual({ isOver: true, remaining: 0 })
  expect(resetMs).toBeGreaterThan(30_000)
  expect(resetMs).toBeLessThanOrEqual(60_000)
})

test('one process can use the remaining limit if the others stop or are idle', async () => {
  let allowed = await send(300)
  await processes[0]!.stop()
  await expect.poll(taken).toBeLessThanOrEqual(300 + 2 * 6)
  allowed += await send(2 * max, processes.slice(1, 2))
  expect(allowed).toBeLessThanOrEqual(max)
  expect(allowed).toBeGreaterThanOrEqual(max - 6)
  expect(warnings).toEqual([])
})

test('a killed process loses at most its leased slice', async () => {
  let allowed = await send(200, processes.slice(0, 2))
  // The first process is killed, so its lease is never returned.
  allowed += await send(2 * max, processes.slice(1))
  expect(allowed).toBeLessThanOrEqual(max)
  expect(allowed).toBeGreaterThanOrEqual(max * 0.9)
  processes = processes.slice(1)
})

test('concurrent requests for slices share statements', async () => {
  const [process] = processes as [RateLeases]
  const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => process.count(`token ${at}`, max)))
  expect(answers.every(({ isOver, remaining }) => !isOver && remaining === max - 1)).toBe(true)
  expect(statements).toBeLessThanOrEqual(3)
})

test('processes that lease for the same tokens in different orders do not deadlock', async () => {
  const owners = Array.from({ length: 200 }, (_, at) => `token ${at}`)
  for (let round = 0; round < 5; round++)
    await Promise.all(
      processes.flatMap((process, at) =>
        (at === 1 ? owners.toReversed() : owners).map((owner) => process.count(owner, max)),
      ),
    )
  expect(warnings).toEqual([])
})

test('the next window starts with a full limit', async () => {
  expect(await send(max, processes.slice(0, 1))).toBe(max)
  await database.db.$client`update rate_windows set ends_at = now()`
  expect(await send(max, processes.slice(1, 2))).toBe(max)
})

test('a process at its limit uses requests that other processes have returned', async () => {
  await send(3 * max)
  await database.db.$client`update rate_windows set taken = taken - 50`
  const atLimit = processes.slice(0, 1)
  let allowed = 0
  await expect.poll(async () => (allowed += await send(12, atLimit))).toBeGreaterThan(0)
  expect(allowed + (await send(120, atLimit))).toBeLessThanOrEqual(50)
})

test('expired windows are removed', async () => {
  await send(12)
  expect(await removeEndedWindows(database.db)).toBe(0)
  await database.db.$client`update rate_windows set ends_at = now() - interval '61 seconds'`
  expect(await removeEndedWindows(database.db)).toBe(1)
})

test('a lease does not wait for the disk or a standby', async () => {
  const [row] = await database.db.$client<{ commit: string }[]>`
    select setting.commit from (select set_config('synchronous_commit', 'off', true) as commit) setting`
  expect(row!.commit).toBe('off')
  const plan = await database.db.$client.unsafe(
    `explain verbose select 1 from (select set_config('synchronous_commit', 'off', true) as commit) setting
     where setting.commit is not null`,
  )
  expect(JSON.stringify(plan)).toContain('set_config')
})

describe('when leasing fails', () => {
  beforeEach(() => {
    processes = pools.map((db) => start(db))
  })

  test('late leases are used, and nothing is leased twice', async () => {
    const [counting] = processes
    const holding = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const held = database.db.$client.begin(async (sql) => {
      await sql`lock table rate_windows in access exclusive mode`
      locked.resolve()
      await holding.promise
    })
    await locked.promise
    for (let round = 0; round < 3; round++) {
      expect(await send(12, [counting!])).toBe(12)
      await sleep(1100)
    }
    expect(statements).toBe(1)
    holding.resolve()
    await held
    let counted = 36
    // Sends requests until the late lease has arrived, after which the next lease statement runs.
    while (statements === 1) {
      counted += await send(1, [counting!], 1)
      await sleep(10)
    }
    await counting!.stop()
    expect(await taken()).toBe(counted)
  })

  test('without the database, each process allows the full limit and no more', async () => {
    await database.db.$client`alter table rate_windows rename to gone`
    try {
      expect(await send(2 * max)).toBe(2 * max)
      expect(await send(3 * max)).toBe(max)
      expect(new Set(warnings)).toEqual(new Set(['rate limit leases unavailable, counting locally']))
    } finally {
      await database.db.$client`alter table gone rename to rate_windows`
    }
    await sleep(1100)
    await send(36)
    await sleep(100)
    // The new leases cover the requests that were counted without leases, so nothing is left.
    expect(await send(36)).toBe(0)
  })
})
