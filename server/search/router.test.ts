import { beforeAll, describe, expect, test } from 'vitest'
import { refusalOf } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { actorOfPage } from '../access/actor.ts'
import { exportShares } from '../access/admission-limits.ts'
import { usualAnswerMaxBytes } from '../access/answer-size.ts'
import type { Role } from '../accounts/role.ts'
import { insertPartner } from '../accounts/store.ts'
import { Shares } from '../admission/admission.ts'
import { api, streams } from '../api.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import type { Services } from '../runtime/services.ts'
import { utc } from '../values/zone.ts'
import { joinRows } from './read-rows.ts'

const database = useDatabase()
let services: Services
beforeAll(async () => {
  services = { db: database.db, admission: { exports: new Shares(exportShares) } } as Services
})

/** Returns the context of a user with this role. Operators may view as a partner. */
async function contextOf(role: Role, partnerId: number | null, slug: string | null = null, id = 1) {
  const session = {
    hash: '',
    user: { id, email: 'a@b.example', name: 'Ana', role, partnerId },
    partner: null,
    expiresAt: new Date(),
    visitIsNews: false,
    zone: utc,
  }
  return { services, actor: await actorOfPage(services, session, slug), ifNoneMatch: () => false }
}

/** Returns the procedures as called by a user with this role. */
const callerOf = async (...who: Parameters<typeof contextOf>) => api.createCaller(await contextOf(...who))

async function makePartner(records: DealRecord[]) {
  const name = `Partner ${crypto.randomUUID()}`
  const { id, slug } = (await insertPartner(database.db, crypto.randomUUID(), name))!
  await writeDeals(
    database.db,
    records.map((record) => ({ record, partnerId: id })),
    { now: new Date('2026-03-01T17:20:05Z'), events: true },
  )
  return { id, slug, name, caller: await callerOf('member', id) }
}

let lastId = 0n
let lastUser = 1

test('returns deals with the requested fields, exact ids, and a cursor to the next page', async () => {
  const id = 9_007_199_254_740_993n
  const { caller } = await makePartner([
    { id, dealname: 'A', amount: 1.5, owner: { id: 5n } as never, lastModified: '2026-01-02T00:00:00.000Z' },
    { id: ++lastId, dealname: 'B' },
  ])
  const first = (await caller.deals.find({ fields: ['dealname', 'owner', 'hasHoa'], limit: 1 })).value()
  expect(first.deals).toEqual([
    { id: BigInt(id), dealname: 'A', owner: expect.objectContaining({ id: 5, email: null }), hasHoa: null },
  ])
  const second = (await caller.deals.find({ fields: ['dealname'], limit: 1, cursor: first.next })).value()
  expect(second).toEqual({ deals: [{ id: Number(lastId), dealname: 'B' }], next: null })
})

test("derives a deal's next step from all its fields, even those not requested", async () => {
  const permit = {
    permitSubmitted: '2020-01-02T00:00:00.000Z',
    expectedPermitDeliveryDate: '2020-02-03T00:00:00.000Z',
  }
  const { caller } = await makePartner([
    { id: ++lastId, amount: 3, stage: 'Permit Submitted', ...permit },
    { id: ++lastId, amount: 2, stage: 'Cancelled', ...permit },
    { id: ++lastId, amount: 1 },
  ])
  const input = { fields: ['milestone' as const], sort: { field: 'amount', direction: 'desc' } as const }
  const { deals } = (await caller.deals.find(input)).value()
  const daysLate = Math.floor(Date.now() / 86_400_000) - Date.parse('2020-02-03T00:00:00.000Z') / 86_400_000
  expect(deals.map(({ milestone }) => milestone)).toEqual([
    { kind: 'late', label: 'Permit', time: permit.expectedPermitDeliveryDate, daysUntil: -daysLate },
    null,
    { kind: 'unknown' },
  ])
  expect((await caller.deals.find({ fields: ['amount'] })).value().deals[0]).not.toHaveProperty('milestone')
})

test('finds and counts a state in every spelling, and returns the spelling that was requested', async () => {
  const spellings = ['AZ', 'Arizona', 'az', 'Az.', 'AZ ']
  const { caller } = await makePartner([
    ...spellings.map((state) => ({ id: ++lastId, state })),
    { id: ++lastId, state: 'Québec' },
    { id: ++lastId, state: ' Baja  California' },
    { id: ++lastId, state: ' ' },
  ])
  const { states } = await caller.deals.choices({})
  expect(states).toEqual([
    { value: 'AZ', count: 5 },
    { value: '', count: 1 },
    { value: 'Baja California', count: 1 },
    { value: 'QC', count: 1 },
  ])
  const find = async (states: string[]) =>
    (await caller.deals.find({ fields: ['state'], filter: { states } }))
      .value()
      .deals.map(({ state }) => state)
  for (const state of spellings) expect((await find([state])).toSorted()).toEqual(spellings.toSorted())
  expect(await find(['quebec', 'Baja California '])).toHaveLength(2)
  expect(await find([''])).toEqual([' '])
})

test('only viewers of all partners see the partner of a deal', async () => {
  const [mine, theirs] = [++lastId, ++lastId]
  const { slug, name, caller } = await makePartner([{ id: mine, dealname: 'Whose' }])
  const other = await makePartner([{ id: theirs, dealname: 'Whose' }])
  const input = { fields: ['partner' as const], filter: { search: 'whose' } }
  const operator = await callerOf('operator', null)
  expect(
    (await operator.deals.find(input))
      .value()
      .deals.map(({ partner }) => partner)
      .toSorted(),
  ).toEqual([name, other.name].toSorted())
  expect(await operator.deals.partner({ id: String(mine) })).toBe(name)
  expect((await operator.deals.choices({})).partners.map(({ value }) => value)).toContain(name)
  expect(await operator.deals.count({ filter: { ...input.filter, partners: [name] } })).toMatchObject({
    count: 1,
  })
  expect(await operator.deals.count({ filter: { partners: ['Nobody'] } })).toMatchObject({ count: 0 })
  for (const { deals } of [caller, await callerOf('operator', null, slug)]) {
    expect((await deals.find(input)).value().deals).toEqual([{ id: Number(mine) }])
    expect(await deals.partner({ id: String(theirs) })).toBeNull()
    expect((await deals.choices({})).partners).toEqual([])
  }
})

test.each([
  { fields: [] },
  { fields: ['words'] },
  { fields: ['id'], limit: 101 },
  { fields: ['id'], cursor: 'x' },
  { fields: ['id'], cursor: '1:\0' },
  { fields: ['id'], sort: { field: 'json', direction: 'asc' } },
  { fields: ['id'], filter: { dates: { createDate: { from: '2026-02-30' } } } },
  { fields: ['id'], filter: { amount: { min: Number.NaN } } },
  { fields: ['id'], filter: { search: 'a\0@b' } },
  { fields: ['id'], filter: { stages: ['\0'] } },
  { fields: ['id'], filter: { dates: { createDate: { from: '0000-01-01' } } } },
  { fields: ['id'], sort: { field: 'permitSubmitted', direction: 'asc' }, cursor: '1:0000-01-01' },
  ...['1:no number', '1:2026-13-99', '99999999999999999999', '1:'].map((cursor) => ({
    fields: ['id'],
    sort: { field: 'amount', direction: 'asc' },
    cursor,
  })),
])('rejects %j', async (input) => {
  const { caller } = await makePartner([])
  expect((await refusalOf(caller.deals.find(input as never))).code).toBe('BAD_REQUEST')
})

test('rejects a view that the database cannot store', async () => {
  const { caller } = await makePartner([])
  for (const view of [
    { name: 'a\0', query: '' },
    { name: ' ', query: '' },
    { name: 'a', query: '\0' },
    { name: 'a'.repeat(81), query: '' },
  ]) {
    expect((await refusalOf(caller.views.save({ ...view, isShared: false }))).code).toBe('BAD_REQUEST')
  }
})

describe("another partner's deals", () => {
  test('are not in any response', async () => {
    const other = await makePartner([
      {
        id: ++lastId,
        dealname: 'Secret',
        stage: 'Secret',
        state: 'XX',
        amount: 5,
        closerName: 'Secret Closer',
      },
    ])
    const dealId = String(lastId)
    const { caller } = await makePartner([])
    for (const filter of [
      {},
      { search: 'secret' },
      { partner: other.slug } as object,
      { people: ['Secret Closer'] },
    ]) {
      expect((await caller.deals.find({ fields: ['id'], filter })).value()).toEqual({ deals: [], next: null })
      expect(await caller.deals.count({ filter })).toEqual({
        count: 0,
        isMore: false,
        amount: 0,
        withoutAmount: 0,
      })
      expect(await caller.deals.board({ filter })).toEqual({ columns: [], asOf: null })
    }
    expect(await caller.deals.choices({})).toEqual({
      stages: [],
      pipelines: [],
      states: [],
      people: [],
      utilities: [],
      lenders: [],
      partners: [],
      asOf: null,
    })
    const [theirs, nobodys] = [
      await refusalOf(caller.deals.history({ id: dealId })),
      await refusalOf(caller.deals.history({ id: '777777777' })),
    ]
    expect(theirs).toMatchObject({ code: 'NOT_FOUND', message: nobodys.message })
  })

  test('are visible to the operator, together or for one partner', async () => {
    const { slug } = await makePartner([{ id: ++lastId, dealname: 'Ours' }])
    expect((await (await callerOf('operator', null, slug)).deals.count({})).count).toBe(1)
    expect((await (await callerOf('operator', null)).deals.count({})).count).toBeGreaterThan(1)
    expect((await refusalOf(callerOf('operator', null, 'nobody'))).code).toBe('BAD_REQUEST')
  })
})

test("filter choices and the board count the tenant's deals, with stages in process order", async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const { caller } = await makePartner([
    {
      id: ++lastId,
      stage: 'Installed',
      amount: 5,
      siteSurveyCompleted: at,
      installComplete: at,
      state: 'AZ',
      closerName: 'Jo Reyes',
    },
    {
      id: ++lastId,
      stage: 'Survey',
      amount: 2,
      siteSurveyCompleted: at,
      state: 'AZ',
      setterName: 'Jo Reyes',
    },
    { id: ++lastId, stage: 'New', state: 'CA', closerName: 'Kim' },
    { id: ++lastId, stage: 'New', pipeline: 'Solar' },
  ])
  expect(await caller.deals.choices({})).toEqual({
    stages: [
      { value: 'New', count: 2 },
      { value: 'Survey', count: 1 },
      { value: 'Installed', count: 1 },
    ],
    pipelines: [
      { value: '', count: 3 },
      { value: 'Solar', count: 1 },
    ],
    states: [
      { value: 'AZ', count: 2 },
      { value: '', count: 1 },
      { value: 'CA', count: 1 },
    ],
    people: [
      { value: 'Jo Reyes', count: 2 },
      { value: 'Kim', count: 1 },
    ],
    utilities: [{ value: '', count: 4 }],
    lenders: [{ value: '', count: 4 }],
    partners: [],
    asOf: null,
  })
  expect(await caller.deals.board({})).toEqual({
    columns: [
      { stage: 'New', kind: 'open', tone: 'blue', count: 2, isMore: false, amount: 0, withoutAmount: 2 },
      { stage: 'Survey', kind: 'open', tone: 'blue', count: 1, isMore: false, amount: 2, withoutAmount: 0 },
      {
        stage: 'Installed',
        kind: 'open',
        tone: 'teal',
        count: 1,
        isMore: false,
        amount: 5,
        withoutAmount: 0,
      },
    ],
    asOf: null,
  })
})

test('the history of a deal with very long texts is split into small pages without gaps', async () => {
  const id = ++lastId
  const { caller } = await makePartner([{ id }])
  for (let at = 1; at <= 9; at++)
    await writeDeals(
      database.db,
      [{ record: { id, notes: String(at).repeat(200_000) }, partnerId: undefined }],
      { now: new Date(Date.parse('2026-03-01T17:20:05Z') + at * 1000), events: true },
    )
  const sequences: number[] = []
  let before: number | undefined
  do {
    const page = await caller.deals.history({ id: String(id), ...(before !== undefined && { before }) })
    expect(page.json!.length).toBeLessThan(usualAnswerMaxBytes)
    const { events, next } = page.value()
    sequences.push(...events.map(({ sequence }) => sequence))
    expect(events[0]!.changes).toEqual(
      events[0]!.sequence === 1 ? [] : [expect.objectContaining({ field: 'notes', to: expect.any(String) })],
    )
    before = next ?? undefined
  } while (before !== undefined)
  expect(sequences).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('rows of long texts are shortened until they fit', () => {
  const row = JSON.stringify({ id: 1, notes: '太'.repeat(3000) })
  const textsOf = (rows: number) =>
    (JSON.parse(`[${joinRows(Array.from({ length: rows }, () => row))}]`) as { notes: string }[]).map(
      ({ notes }) => notes.length,
    )
  expect(textsOf(1)).toEqual([3000])
  expect(new Set(textsOf(200))).toEqual(new Set([200]))
  expect(new Set(textsOf(5000))).toEqual(new Set([40]))
})

test('the history of a deal has every event, ordered by event time, not by sequence', async () => {
  const id = ++lastId
  const { caller } = await makePartner([{ id, amount: 0 }])
  const minutes = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 30 + index : 1 + index))
  for (const minute of minutes)
    await writeDeals(database.db, [{ record: { id, amount: minute }, partnerId: undefined }], {
      now: new Date(Date.parse('2026-03-02T10:00:00Z') + minute * 60_000),
      events: true,
    })
  const { events, next } = (await caller.deals.history({ id: String(id) })).value()
  const older = (await caller.deals.history({ id: String(id), before: next })).value()
  expect(events).toHaveLength(20)
  expect(events[0]).toEqual({
    sequence: 24,
    type: 'deal.updated',
    timestamp: '2026-03-02T10:52:00.000Z',
    changes: [{ field: 'amount', from: 22, to: 52 }],
  })
  const amounts = [...events, ...older.events].flatMap(({ changes }) => changes.map(({ to }) => to))
  expect(amounts).toEqual(minutes.toSorted((a, b) => b - a))
  expect(older).toMatchObject({ next: null })
  expect(older.events.at(-1)).toMatchObject({ sequence: 1, type: 'deal.created', changes: [] })
})

describe('an export of deals', () => {
  const records = (count: number) =>
    Array.from({ length: count }, (_, index): DealRecord => ({
      id: ++lastId,
      dealname: `Deal ${index}`,
      hasHoa: index % 2 === 0,
    }))
  const someoneOf = async (partnerId: number) =>
    streams.createCaller(await contextOf('member', partnerId, null, ++lastUser))
  const exportAll = async (caller: Awaited<ReturnType<typeof someoneOf>>) => {
    const names: (string | null)[] = []
    await (
      await caller.deals.export({
        filter: { flags: { hasHoa: true } },
        sort: { field: 'dealname', direction: 'asc' },
      })
    )(async (some) => void names.push(...some.map(({ dealname }) => dealname)))
    return names
  }

  /**
   * Returns an export whose reader takes the first rows, then pauses until the test resumes it or makes it
   * fail.
   */
  async function heldExport(caller: Awaited<ReturnType<typeof someoneOf>>) {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ended = (await caller.deals.export({}))(() => {
      begun.resolve()
      return released.promise
    }).catch((error: unknown) => error)
    await begun.promise
    return { goOn: released.resolve, fail: released.reject, ended }
  }

  /** Returns the number of database connections that are in a transaction. */
  const inTransaction = async () =>
    (
      await database.db.$client`
    select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    ).length

  test('has only the selected deals, in order, regardless of the filter, and none of another partner', async () => {
    const ids = [++lastId, ++lastId, ++lastId]
    const { id } = await makePartner(ids.map((each) => ({ id: each })))
    const other = ++lastId
    await makePartner([{ id: other }])
    const caller = await someoneOf(id)
    const found: bigint[] = []
    const chosen = [ids[2]!, other, ids[0]!].map(String)
    await (
      await caller.deals.export({ filter: { stages: ['None'] }, ids: chosen })
    )(async (some) => void found.push(...some.map((deal) => deal.id)))
    expect(found).toEqual([ids[2], ids[0]])
  })

  test('returns all matching deals in order', async () => {
    const caller = await someoneOf((await makePartner(records(600))).id)
    const names = await exportAll(caller)
    expect(names).toHaveLength(300)
    expect(names.slice(0, 2)).toEqual(['Deal 0', 'Deal 10'])
  })

  test('uses no database connection before it is read', async () => {
    const caller = await someoneOf((await makePartner(records(1))).id)
    await Promise.all(Array.from({ length: 5 }, () => caller.deals.export({})))
    expect(await inTransaction()).toBe(0)
    expect(await exportAll(caller)).toHaveLength(1)
  })

  test('is limited to one per user and half of all per partner, and says when to retry', async () => {
    const { id } = await makePartner(records(1))
    const people = await Promise.all(Array.from({ length: exportShares.perGroup }, () => someoneOf(id)))
    const heldExports = await Promise.all(people.map(heldExport))
    expect(await refusalOf(exportAll(people[0]!))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      headers: { 'Retry-After': '10' },
    })
    const next = await someoneOf(id)
    expect(await refusalOf(exportAll(next))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      headers: { 'Retry-After': '60' },
    })
    const neighbour = await someoneOf((await makePartner(records(3))).id)
    expect(await exportAll(neighbour)).toHaveLength(2)
    heldExports[0]!.goOn()
    expect(await heldExports[0]!.ended).toBeUndefined()
    expect(await exportAll(next)).toHaveLength(1)
    for (const running of heldExports) running.goOn()
    await Promise.all(heldExports.map(({ ended }) => ended))
    expect(await inTransaction()).toBe(0)
  })

  test('releases its slot if its reader fails or a row is invalid, and its connection while the reader pauses', async () => {
    const caller = await someoneOf((await makePartner(records(300))).id)
    const reader = await heldExport(caller)
    reader.fail(new Error('gone'))
    expect(await reader.ended).toMatchObject({ message: 'gone' })
    expect(await inTransaction()).toBe(0)

    const slow = await heldExport(caller)
    // The next rows are already being read.
    await expect.poll(inTransaction).toBe(0)
    slow.goOn()
    await slow.ended
    expect(await exportAll(caller)).toHaveLength(150)

    await database.db.$client`update deals set json = 'broken' where id = ${String(lastId)}`
    await refusalOf((await caller.deals.export({}))(async () => {}))
    expect(await inTransaction()).toBe(0)
    await database.db.$client`delete from deals where id = ${String(lastId)}`
    expect(await exportAll(caller)).toHaveLength(150)
  })
})
