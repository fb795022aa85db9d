import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Database } from '#db/client.ts'
import type { Replica } from '#db/replica.ts'
import { actorOfPage } from '#server/access/actor.ts'
import { api, streams } from '#server/api.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { type Live, startLive } from '#server/http/live.ts'
import { type System, openSystem } from '#server/programs/system.ts'
import { readConfig } from '#server/runtime/env.ts'
import { utc } from '#server/values/zone.ts'
import { makePartner } from './partners.ts'
import { newDeals } from './rest/deals.ts'
import { type Pair, startPair } from './standby.ts'
import { type TestPartner, temporaryDirectory } from './system.ts'

// A standby serves reads. Users do not notice if it lags or fails.

let directory: string
let pair: Pair
let system: System
let live: Live
let replica: Replica
let standby: postgres.Sql
let partner: TestPartner
const logged: { msg: string }[] = []

beforeAll(async () => {
  directory = await temporaryDirectory()
  pair = await startPair(directory)
  const config = readConfig({
    DATABASE_URL: pair.primaryUrl,
    DATABASE_REPLICA_URL: pair.standbyUrl,
    DATA_DIR: directory,
  })
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  system = await openSystem(config, log, () => {})
  replica = system.services.replica!
  live = startLive(system.services)
  standby = postgres(pair.standbyUrl, { max: 1, onnotice: () => {} })
  partner = await makePartner(system.services.db)({ deals: newDeals(300) })
})
afterAll(async () => {
  await standby.end({ timeout: 1 })
  await live.stop()
  await system.close()
  await pair.close()
  await rm(directory, { recursive: true, force: true })
})

const isRead = () => expect.poll(() => replica.state().problem, { interval: 20 }).toBeNull()

/** Waits until the replica has caught up with everything this process has written. */
async function isCaughtUp(): Promise<void> {
  const { caller } = await callersOf(partner)
  await expect
    .poll(async () => (await answeredBy(() => count(caller))).replica, { interval: 20 })
    .toBeGreaterThan(0)
}

/** Returns the procedures for an admin of the partner. */
async function callersOf({ id }: TestPartner) {
  const { services } = system
  const session = {
    hash: '',
    user: { id: 1, email: 'a@b.example', name: 'Ana', role: 'admin' as const, partnerId: id },
    partner: null,
    expiresAt: new Date(),
    visitIsNews: false,
    zone: utc,
  }
  const context = { services, actor: await actorOfPage(services, session, null), ifNoneMatch: () => false }
  return { caller: api.createCaller(context), streaming: streams.createCaller(context) }
}

type Callers = Awaited<ReturnType<typeof callersOf>>

const sort = { field: 'dealname', direction: 'asc' } as const
const find = ({ caller }: Callers) => caller.deals.find({ filter: {}, sort, fields: ['dealname'], limit: 5 })
const count = (caller: Callers['caller']) => caller.deals.count({ filter: {} })

/** Returns how many reads each database has served while `work` ran. */
async function answeredBy(work: () => Promise<unknown>) {
  const before = replica.state().answered
  await work()
  const after = replica.state().answered
  return { replica: after.replica - before.replica, primary: after.primary - before.primary }
}

/**
 * Changes deals, and waits until this process has been notified, which usually happens before its client is.
 */
async function heardOf<T>(work: () => Promise<T>): Promise<T> {
  const heard = vi.spyOn(replica, 'changed')
  try {
    const result = await work()
    await expect.poll(() => heard.mock.calls.length, { interval: 5 }).toBeGreaterThan(0)
    return result
  } finally {
    heard.mockRestore()
  }
}

const write = (of: TestPartner, deals: { id: bigint; dealname?: string }[]) =>
  heardOf(() =>
    writeDeals(
      system.services.db,
      deals.map((record) => ({ record, partnerId: of.id })),
      { now: new Date(), events: false },
    ),
  )

test('the replica serves searches, counts, the map, exports and reports', async () => {
  const callers = await callersOf(partner)
  const { caller, streaming } = callers
  const listens = () => system.services.db.$client`
    select from pg_stat_activity where application_name = 'partner-deals live' and query like 'listen%'`
  await expect.poll(async () => (await listens()).length, { interval: 20 }).toBe(1)
  await sleep(50)
  await isCaughtUp()
  const works: Record<string, () => Promise<unknown>> = {
    find: () => find(callers),
    unordered: () =>
      caller.deals.find({
        filter: {},
        sort: { field: 'systemSize', direction: 'asc' },
        fields: ['id'],
        limit: 5,
      }),
    count: () => count(caller),
    board: () => caller.deals.board({ filter: { search: 'a' } }),
    choices: () => caller.deals.choices({}),
    map: () => caller.deals.map({ filter: {} }),
    home: () => caller.insight.home(),
    money: () => caller.insight.money(),
    flow: () => caller.insight.flow({ months: '6' }),
    trends: () => caller.insight.trends({ months: '6', unit: 'month' }),
    export: async () => (await streaming.deals.export({ filter: {}, sort, derived: [] }))(async () => {}),
  }
  for (const [name, work] of Object.entries(works)) {
    const { replica: ours, primary } = await answeredBy(work)
    expect({ name, isRead: ours > 0, primary }).toEqual({ name, isRead: true, primary: 0 })
  }
})

test('the primary serves reads that must be current', async () => {
  const { caller } = await callersOf(partner)
  expect(
    await answeredBy(async () => {
      await caller.deals.list({})
      await caller.deals.refresh({ ids: ['1'], filter: {}, fields: ['id'] })
      await caller.deals.age({})
      await caller.events.list({})
      await caller.webhooks.get()
      await caller.tokens.list({ isEnded: false })
      await caller.views.list()
    }),
  ).toEqual({ replica: 0, primary: 0 })
})

test('a write is visible immediately, although the replica lags; other partners keep reading from the replica', async () => {
  const other = await heardOf(() => makePartner(system.services.db)({ deals: newDeals(3) }))
  await isCaughtUp()
  const [mine, theirs] = [await callersOf(partner), await callersOf(other)]
  await expect
    .poll(async () => (await answeredBy(() => count(theirs.caller))).replica, { interval: 20 })
    .toBe(1)
  await standby`select pg_wal_replay_pause()`
  try {
    const before = (await count(mine.caller)).count
    await write(partner, newDeals(2) as { id: bigint }[])
    expect((await count(mine.caller)).count).toBe(before + 2)
    expect(await answeredBy(() => count(mine.caller))).toEqual({ replica: 0, primary: 1 })
    expect(await answeredBy(() => count(theirs.caller))).toEqual({ replica: 1, primary: 0 })
    await expect.poll(() => replica.state().problem, { interval: 50 }).toBe('behind')
    expect(replica.state().lagMs).toBeGreaterThan(5000)
    expect(await answeredBy(() => count(theirs.caller))).toEqual({ replica: 0, primary: 1 })
  } finally {
    await standby`select pg_wal_replay_resume()`
  }
  await isRead()
  await isCaughtUp()
})

test('each of several consecutive writes is visible to the next search', async () => {
  const callers = await callersOf(partner)
  for (let round = 0; round < 10; round++) {
    const [deal] = newDeals(1) as [{ id: bigint }]
    await write(partner, [{ id: deal.id, dealname: `Written ${deal.id}` }])
    const page = await callers.caller.deals.find({
      filter: { search: `Written ${deal.id}` },
      sort,
      fields: ['dealname'],
      limit: 5,
    })
    expect(page.value().deals.map(({ id }) => String(id))).toContain(String(deal.id))
  }
  await isCaughtUp()
})

test('without the notification connection, all reads go to the primary until it is back', async () => {
  const callers = await callersOf(partner)
  replica.hearing(false)
  expect(await answeredBy(() => find(callers))).toEqual({ replica: 0, primary: 1 })
  replica.hearing(true)
  expect(await answeredBy(() => find(callers))).toEqual({ replica: 0, primary: 1 })
  await isCaughtUp()
})

test('neither the types nor the database allow writes to the replica', async () => {
  const reads = replica.readsOf(0)
  const writeTo = async (db: Database | null) => db
  // @ts-expect-error a read-only database cannot be written to
  const refused = () => writeTo(reads)
  expect(refused).toBeInstanceOf(Function)
  for (const db of [reads, system.services.db])
    await expect(
      db.$client.begin('read only', (sql) => sql`update partners set name = 'x'`),
    ).rejects.toMatchObject({ code: '25006' })
})

describe('users notice no failure of the replica', () => {
  /** Searches again and again while `work` runs. Returns the time of the slowest search in ms. */
  async function searchMeanwhile(work: () => Promise<void>): Promise<number> {
    const callers = await callersOf(partner)
    let isDone = false
    let longestMs = 0
    const searching = Array.from({ length: 4 }, async () => {
      while (!isDone) {
        const began = performance.now()
        expect((await find(callers)).value().deals).toHaveLength(5)
        longestMs = Math.max(longestMs, performance.now() - began)
      }
    })
    await work().finally(() => {
      isDone = true
    })
    await Promise.all(searching)
    return longestMs
  }

  test('when it is killed', async () => {
    await searchMeanwhile(async () => {
      await sleep(200)
      await pair.signalStandby('SIGKILL')
      await expect.poll(() => replica.state().problem, { interval: 20 }).toBe('away')
      await sleep(200)
    })
    await pair.startStandby()
    await isRead()
    await isCaughtUp()
    expect(logged.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        'read replica in use',
        'the read replica does not respond; reading from the primary',
      ]),
    )
  })

  test('when it falls silent, after some seconds', async () => {
    const longestMs = await searchMeanwhile(async () => {
      await sleep(200)
      await pair.signalStandby('SIGSTOP')
      try {
        await expect.poll(() => replica.state().problem, { interval: 20 }).toBe('away')
      } finally {
        await pair.signalStandby('SIGCONT')
      }
    })
    expect(longestMs).toBeLessThan(4500)
    await isRead()
    await isCaughtUp()
  })

  test('when it fails in the middle of an export, which continues on the primary', async () => {
    const { streaming } = await callersOf(partner)
    const ids: bigint[] = []
    await (
      await streaming.deals.export({ filter: {}, sort, derived: [] })
    )(async (deals) => {
      ids.push(...deals.map(({ id }) => id))
      if (ids.length === deals.length) {
        await standby`
          select pg_terminate_backend(pid) from pg_stat_activity
          where pid <> pg_backend_pid() and application_name = 'partner-deals'`
        await sleep(50)
      }
    })
    const rows = await system.services.db.$client<{ id: string }[]>`
      select id::text from deals where partner_id = ${partner.id}`
    expect(ids).toHaveLength(rows.length)
    expect(new Set(ids.map(String))).toEqual(new Set(rows.map(({ id }) => id)))
    await isRead()
  })
})

test('a promoted replica no longer serves reads', async () => {
  await standby`select pg_promote()`
  await expect.poll(() => replica.state().problem, { interval: 20 }).toBe('no standby')
  const callers = await callersOf(partner)
  expect(await answeredBy(() => find(callers))).toEqual({ replica: 0, primary: 1 })
})
