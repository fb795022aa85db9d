import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '#db/client.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { ownerOf, type PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type Zone, utc } from '../values/zone.ts'
import { type TotalsKind, countOutdated, readTotals, renewTotals, warmTotals } from './read-totals.ts'
import { countMaxMs, isCurrent, listOutdatedTotals, restMs } from './totals-store.ts'

const database = useDatabase()
let otherProcess: Database
let tenant: PartnerId
beforeAll(async () => {
  otherProcess = openDatabase(database.url, 4)
})
afterAll(async () => {
  await otherProcess.$client.end()
})

let lastId = 0n
const write = (partnerId: number = tenant) => writeRecords(database.db, partnerId, [{ id: ++lastId }])

/** Creates a partner with a long list. */
async function makePartner(): Promise<PartnerId> {
  const { id } = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
  await write(id)
  await database.db.$client`update deal_lists set deal_count = deal_count + 20000 where id = ${id}`
  return id as PartnerId
}

beforeEach(async () => {
  await database.db.$client`truncate list_totals`
  tenant = await makePartner()
})

/** Returns a kind of totals that counts deals and records how often it is computed. */
function makeKind(more: Partial<TotalsKind<{ count: number }>> = {}) {
  const kind = {
    name: `test-${crypto.randomUUID()}`,
    isByZone: false,
    computed: 0,
    compute: (async ({ sql, tenant: whose }) => {
      kind.computed++
      const [row] = await sql<
        [{ count: number }]
      >`select count(*)::integer as count from deals where partner_id = ${ownerOf(whose)}`
      return row
    }) as TotalsKind<{ count: number }>['compute'],
    ...more,
  }
  return kind
}

/** Runs the pending count jobs like a worker. Returns the problems. */
const runJobs = (kinds: TotalsKind<unknown>[], db = database.db) =>
  runDueJobs(db, {
    'count-totals': async ({ listId, kind: name, zone, isFor }) => {
      const kind = kinds.find((each) => each.name === name)!
      await countOutdated({ db }, kind, { tenant: listId as PartnerId, zone: (zone ?? utc) as Zone }, isFor)
    },
  })

/** Reads the totals, then runs the job that reading sends. */
async function read(
  kind: TotalsKind<{ count: number }>,
  { db = database.db, whose = tenant, zone = utc, now = new Date() } = {},
) {
  const result = await readTotals({ db }, kind, { tenant: whose, zone }, now)
  await runJobs([kind], db)
  return result
}

/** Renews outdated totals like a worker. */
async function renew(...kinds: TotalsKind<unknown>[]) {
  await renewTotals(otherProcess, kinds)
  return runJobs(kinds, otherProcess)
}

/** Computes missing totals like a worker, before anyone reads them. */
async function warm(kinds: TotalsKind<unknown>[], readers: { owner: PartnerId; zone: Zone }[]) {
  await warmTotals(database.db, kinds, readers)
  return runJobs(kinds)
}

const makeDue = () => database.db.$client`update list_totals set due_at = now()`

describe('stored totals', () => {
  test('exist for shorter lists as well if computing takes long, and are renewed', async () => {
    await database.db.$client`update deal_lists set deal_count = 2001 where id = ${tenant}`
    const kind = makeKind({ atOnceMax: 2000 })
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: null })
    await write()
    await makeDue()
    await renew(kind)
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
    expect(kind.computed).toBe(2)
  })

  test('are ready before the first reader, for each time zone, and only for long lists', async () => {
    const phoenix = 'America/Phoenix' as Zone
    const [kind, zoned] = [makeKind(), makeKind({ isByZone: true })]
    const short = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
    await write(short)
    const readers = [utc, phoenix].flatMap((zone) => [tenant, short].map((whose) => ({ owner: whose, zone })))
    await warm([kind, zoned], readers)
    expect([kind.computed, zoned.computed]).toEqual([1, 2])
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: null })
    expect(await read(zoned, { zone: phoenix })).toEqual({ totals: { count: 1 }, asOf: null })
    await warm([kind, zoned], readers)
    expect([kind.computed, zoned.computed]).toEqual([1, 2])
  })

  test('that cannot be computed for one list delay no other list', async () => {
    const broken = await makePartner()
    const kind = makeKind()
    const { compute } = kind
    let isBroken = false
    kind.compute = async (snapshot) => {
      if (isBroken && snapshot.tenant === broken) throw new Error('broken')
      return compute(snapshot)
    }
    const readers = [broken, tenant].map((owner) => ({ owner, zone: utc }))
    isBroken = true
    expect(await warm([kind], readers)).toEqual(['broken'])
    expect(kind.computed).toBe(1)
    isBroken = false
    await makeDue()
    await warm([kind], readers)
    isBroken = true
    for (const id of [broken, tenant]) await write(id)
    await makeDue()
    expect(await renew(kind)).toEqual(['broken'])
    expect(kind.computed).toBe(3)
  })

  test('are renewed when their deals change if computed ahead, whether read or not', async () => {
    const kind = makeKind()
    await warm([kind], [{ owner: tenant, zone: utc }])
    for (const count of [2, 3]) {
      await write()
      await makeDue()
      await renew(kind)
      expect(kind.computed).toBe(count)
    }
    expect(await read(kind)).toEqual({ totals: { count: 3 }, asOf: null })
  })

  test('are recomputed before being read if outdated and more than a minute old, once for all readers', async () => {
    const kind = makeKind()
    await warm([kind], [{ owner: tenant, zone: utc }])
    await write()
    await makeDue()
    const age = (seconds: number) =>
      database.db.$client`update list_totals set computed_at = now() - ${seconds} * interval '1 s'`
    await age(22 * 60)
    const all = await Promise.all([1, 2, 3].map(() => read(kind)))
    expect(all).toEqual(all.map(() => ({ totals: { count: 2 }, asOf: null })))
    expect(kind.computed).toBe(2)
    // Recently computed totals are not recomputed even if outdated, so counting takes at most a tenth of the
    // time.
    await write()
    await age(22 * 60)
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: expect.any(String) as string })
    expect(kind.computed).toBe(2)
  })

  test('are not stored for a short list', async () => {
    await database.db.$client`update deal_lists set deal_count = 20000 where id = ${tenant}`
    const kind = makeKind()
    expect(await read(kind)).toBeNull()
    expect(await read(kind, { whose: 987_654 as PartnerId })).toBeNull()
    expect(kind.computed).toBe(0)
    expect(await database.db.$client`select from list_totals`).toHaveLength(0)
  })

  test('of a long list are computed once for all concurrent readers of a process', async () => {
    const kind = makeKind()
    const all = await Promise.all(Array.from({ length: 50 }, () => read(kind)))
    expect(all).toEqual(all.map(() => ({ totals: { count: 1 }, asOf: null })))
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: null })
    expect(kind.computed).toBe(1)
  })

  test('are counted by the next reader if the request of the first is cancelled', async () => {
    const kind = makeKind()
    const { compute } = kind
    kind.compute = async () => {
      kind.compute = compute
      await sleep(50)
      throw new Error('cancelled')
    }
    const results = await Promise.allSettled([read(kind), read(kind)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(kind.computed).toBe(1)
  })

  test('of a changed list are returned with their time, and recomputed', async () => {
    const kind = makeKind()
    await read(kind)
    await write()
    // These totals were computed just now.
    const old = await read(kind)
    expect(old).toEqual({ totals: { count: 1 }, asOf: expect.any(String) as string })
    expect(Math.abs(Date.now() - Date.parse(old!.asOf!))).toBeLessThan(60_000)
    expect(kind.computed).toBe(1)
    await makeDue()
    const all = await Promise.all([read(kind), read(kind, { db: otherProcess }), read(kind)])
    for (const result of all) expect([old, { totals: { count: 2 }, asOf: null }]).toContainEqual(result)
    expect(kind.computed).toBe(2)
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
  })

  test('are not current if the list changes during the computation', async () => {
    const kind = makeKind()
    const { compute } = kind
    kind.compute = async (snapshot) => {
      const counted = await compute(snapshot)
      await write()
      return counted
    }
    await read(kind)
    kind.compute = compute
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: expect.any(String) as string })
    await makeDue()
    await read(kind)
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
  })

  test('are stored with the revision of the list at the start of the count', async () => {
    const kind = makeKind()
    const { compute } = kind
    kind.compute = async (snapshot) => {
      await write()
      return compute(snapshot)
    }
    expect((await read(kind))!.totals).toEqual({ count: 1 })
  })

  test('stay current until the time when a date changes them', async () => {
    const validUntil = new Date(Date.now() + 30_000)
    const kind = makeKind({ validUntil: () => Promise.resolve(validUntil) })
    await read(kind)
    expect((await read(kind, { now: new Date(validUntil.getTime() - 1) }))!.asOf).toBeNull()
    expect((await read(kind, { now: validUntil }))!.asOf).toEqual(expect.any(String))
    expect((await read(kind))!.asOf).toBeNull()
  })

  test('belong to a partner, and to a time zone if they depend on it', async () => {
    const [kind, byZone] = [makeKind(), makeKind({ isByZone: true })]
    const other = await makePartner()
    await write(other)
    for (const list of [kind, byZone]) {
      for (const zone of [utc, 'Asia/Tokyo' as Zone]) {
        expect((await read(list, { zone }))!.totals).toEqual({ count: 1 })
        expect((await read(list, { zone, whose: other }))!.totals).toEqual({ count: 2 })
      }
    }
    expect(kind.computed).toBe(2)
    expect(byZone.computed).toBe(4)
  })

  describe('depend on the kinds of stages, and totals by partner on their time zones', () => {
    const changeStage = (sql: ISql) => sql`
      insert into stages (name, kind, "order", tone) values ('Permit', 'open', 1, '')
      on conflict (name) do update set kind = case stages.kind when 'open' then 'won' else 'open' end`
    const changeZone = (sql: ISql) => sql`
      update partners set time_zone = case time_zone when 'Asia/Tokyo' then 'UTC' else 'Asia/Tokyo' end where id = ${tenant}`
    beforeAll(() => changeStage(database.db.$client))

    test('are recounted when these settings change', async () => {
      const [kind, ofPartners] = [makeKind(), makeKind({ name: 'partners-0' })]
      const outdated = async () => {
        const old: boolean[] = []
        for (const list of [kind, ofPartners]) {
          old.push((await read(list))!.asOf !== null)
          expect(await read(list)).toEqual({ totals: { count: 1 }, asOf: null })
        }
        return old
      }
      expect(await outdated()).toEqual([false, false])
      await changeStage(database.db.$client)
      expect(await outdated()).toEqual([true, true])
      await changeZone(database.db.$client)
      expect(await outdated()).toEqual([false, true])
      await database.db.$client`update stages set kind = kind, "order" = "order" + 1`
      await database.db.$client`update partners set name = name || '!', time_zone = time_zone`
      expect(await outdated()).toEqual([false, false])
    })

    test('are discarded if these settings change during the count', async () => {
      const kind = makeKind()
      const { compute } = kind
      kind.compute = async (snapshot) => {
        const counted = await compute(snapshot)
        await changeStage(database.db.$client)
        return counted
      }
      await read(kind)
      const stored = await database.db.$client`select totals from list_totals where kind = ${kind.name}`
      expect(stored).toEqual([{ totals: null }])
    })

    test('wait until such a change of settings is committed', async () => {
      const kind = makeKind()
      const { compute } = kind
      kind.compute = async (snapshot) => ({
        ...(await compute(snapshot)),
        ...(await snapshot.sql`select kind from stages where name = 'Permit'`)[0],
      })
      const changed = await database.db.$client.begin(async (sql) => {
        await changeStage(sql)
        const reading = read(kind, { db: otherProcess })
        await sleep(50)
        expect(kind.computed).toBe(0)
        return { reading, stage: (await sql`select kind from stages where name = 'Permit'`)[0] }
      })
      expect((await changed.reading)!.totals).toEqual({ count: 1, ...changed.stage })
    })
  })

  test('fail if they cannot be computed, and are retried', async () => {
    const kind = makeKind()
    const { compute } = kind
    kind.compute = () => Promise.reject(new Error('the disk is gone'))
    await expect(read(kind)).rejects.toThrow('the disk is gone')
    kind.compute = compute
    await makeDue()
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: null })
  })
})

describe('if a process stops while computing totals', () => {
  test('other processes compute them, at the latest when the count must have ended', async () => {
    const kind = makeKind()
    const { $client: sql } = database.db
    const end = (seconds: number) => sql`
      insert into list_totals (list_id, kind, zone, due_at)
      values (${tenant}, ${kind.name}, '', now() + ${seconds} * interval '1 s')
      on conflict (list_id, kind, zone) do update set due_at = excluded.due_at`
    await end(60)
    expect(await read(kind)).toEqual({ totals: { count: 1 }, asOf: null })
    await write()
    await end(60)
    await renew(kind)
    expect((await read(kind))!.totals).toEqual({ count: 1 })
    await end(0)
    await renew(kind)
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
  })

  test('a late result does not replace newer totals', async () => {
    const kind = makeKind()
    const { compute } = kind
    let goOn = () => {}
    kind.compute = async (snapshot) => {
      const counted = await compute(snapshot)
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      return counted
    }
    const slow = read(kind)
    while (kind.computed === 0) await sleep(5)
    await sleep(20)
    await write()
    await makeDue()
    kind.compute = compute
    expect(await read(kind, { db: otherProcess })).toEqual({ totals: { count: 2 }, asOf: null })
    goOn()
    await slow
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
  })
})

describe('the worker for totals', () => {
  test('recomputes only changed totals', async () => {
    const [kind, unknown] = [makeKind(), makeKind()]
    await read(kind)
    await read(unknown)
    await renew(kind)
    expect(kind.computed).toBe(1)
    await write()
    // These totals were computed just now.
    await renew(kind)
    expect(kind.computed).toBe(1)
    await makeDue()
    await renew(kind)
    expect([kind.computed, unknown.computed]).toEqual([2, 1])
    expect(await read(kind)).toEqual({ totals: { count: 2 }, asOf: null })
  })

  test('recomputes the most recently read totals first, then the oldest', async () => {
    const [unread, older, recent] = [makeKind(), makeKind(), makeKind()]
    for (const kind of [unread, older, recent]) await read(kind)
    await write()
    const age = (kind: { name: string }, computed: number, asked: number) => database.db.$client`
      update list_totals set due_at = now(), computed_at = now() - ${computed} * interval '1 min',
        read_at = now() - ${asked} * interval '1 min' where kind = ${kind.name}`
    await age(unread, 30, 120)
    await age(older, 20, 5)
    await age(recent, 2, 5)
    const longerThan = 20_000
    const known = [unread, older, recent].map(({ name, isByZone }) => ({ name, isByZone, longerThan }))
    const order = await listOutdatedTotals(otherProcess, known, 2)
    expect(order.map(({ kind }) => kind)).toEqual([older, recent].map(({ name }) => name))
  })

  test('removes totals not read for a week', async () => {
    const kind = makeKind()
    const age = (days: number) =>
      database.db.$client`update list_totals set read_at = now() - ${days} * interval '1 day'`
    const count = async () => (await database.db.$client`select from list_totals`).length
    await read(kind)
    await age(6)
    await renew(kind)
    expect(await count()).toBe(1)
    await read(kind)
    await database.db.$client`update list_totals set read_at = read_at - interval '6 days'`
    await renew(kind)
    expect(await count()).toBe(1)
    await age(8)
    await renew(kind)
    expect(await count()).toBe(0)
  })
})

test('totals are outdated if the list has an earlier revision, as after restoring a backup', () => {
  expect(isCurrent({ revision: 7, validUntil: null }, 6, new Date())).toBe(false)
})

test('computing totals takes at most a tenth of the time', () => {
  expect(restMs(20)).toBe(5000)
  expect(restMs(1300)).toBe(13_000)
  expect(restMs(countMaxMs)).toBe(10 * countMaxMs)
})
