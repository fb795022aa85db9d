import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { createPartner } from '../accounts/store.ts'
import type { Role } from '../accounts/user.ts'
import { actorOfSession } from '../actor.ts'
import { api, streams } from '../api.ts'
import { toRefusal } from '../errors.ts'
import type { Services } from '../services.ts'
import { writeDeals } from './deal-writer.ts'
import type { DealRecord } from './deal.ts'

let database: TestDatabase
beforeAll(async () => { database = await createTestDatabase() })
afterAll(() => database.drop())

/** The context of somebody of this role. */
function contextOf(role: Role, partnerId: number | null) {
  const session = { hash: '', user: { id: 1, email: 'a@b.example', name: 'Ana', role, partnerId }, partner: null, chosenPartner: null, expiresAt: new Date(), visitIsNews: false }
  return { services: { db: database.db } as Services, actor: actorOfSession(session), holds: () => false }
}

/** The procedures as somebody of this role calls them. */
const callerOf = (...who: Parameters<typeof contextOf>) => api.createCaller(contextOf(...who))

async function makePartner(records: DealRecord[]) {
  const { id, slug } = (await createPartner(database.db, crypto.randomUUID(), 'A partner'))!
  await writeDeals(database.db, records.map((record) => ({ record, partnerId: id })), { now: new Date('2026-03-01T17:20:05Z'), events: true })
  return { id, slug, caller: callerOf('member', id) }
}

const refusalOf = (work: Promise<unknown>) => work.then(() => expect.fail('not refused'), (error: unknown) => toRefusal(error))
let lastId = 0n

test('deals come with the fields that are asked for, exact ids, and where the next page begins', async () => {
  const id = 9_007_199_254_740_993n
  const { caller } = await makePartner([{ id, dealname: 'A', amount: 1.5, owner: { id: 5n } as never, lastModified: '2026-01-02T00:00:00.000Z' }, { id: ++lastId, dealname: 'B' }])
  const first = (await caller.deals.find({ fields: ['dealname', 'owner', 'hasHoa'], limit: 1 })).value()
  expect(first.deals).toEqual([{ id: BigInt(id), dealname: 'A', owner: expect.objectContaining({ id: 5, email: null }), hasHoa: false }])
  const second = (await caller.deals.find({ fields: ['dealname'], limit: 1, cursor: first.next })).value()
  expect(second).toEqual({ deals: [{ id: Number(lastId), dealname: 'B' }], next: null })
})

test.each([[{ fields: [] }], [{ fields: ['words'] }], [{ fields: ['id'], limit: 101 }], [{ fields: ['id'], cursor: 'x' }], [{ fields: ['id'], cursor: '1:\0' }],
  [{ fields: ['id'], sort: { field: 'json', direction: 'asc' } }], [{ fields: ['id'], filter: { dates: { createDate: { from: '2026-02-30' } } } }], [{ fields: ['id'], filter: { amount: { min: Number.NaN } } }],
  [{ fields: ['id'], filter: { search: 'a\0@b' } }], [{ fields: ['id'], filter: { stages: ['\0'] } }], [{ fields: ['id'], filter: { dates: { createDate: { from: '0000-01-01' } } } }],
  [{ fields: ['id'], sort: { field: 'permitSubmitted', direction: 'asc' }, cursor: '1:0000-01-01' }]])('%j is refused', async (input) => {
  const { caller } = await makePartner([])
  expect((await refusalOf(caller.deals.find(input as never))).code).toBe('BAD_REQUEST')
})

test.each(['1:no number', '1:2026-13-99', '99999999999999999999', '1:'])('a cursor that somebody made up (%j) is refused', async (cursor) => {
  const { caller } = await makePartner([])
  expect((await refusalOf(caller.deals.find({ fields: ['id'], sort: { field: 'amount', direction: 'asc' }, cursor }))).code).toBe('BAD_REQUEST')
})

test('a view is refused that the database could not keep', async () => {
  const { caller } = await makePartner([])
  for (const view of [{ name: 'a\0', query: '' }, { name: ' ', query: '' }, { name: 'a', query: '\0' }, { name: 'a'.repeat(81), query: '' }]) {
    expect((await refusalOf(caller.views.save({ ...view, isShared: false }))).code).toBe('BAD_REQUEST')
  }
})

describe("another partner's deals", () => {
  test('are in no answer, whatever partner is named', async () => {
    const other = await makePartner([{ id: ++lastId, dealname: 'Secret', stage: 'Secret', state: 'XX', amount: 5, closerName: 'Secret Closer' }])
    const dealId = String(lastId)
    const { caller } = await makePartner([])
    for (const filter of [{}, { search: 'secret' }, { partner: other.slug }, { people: ['Secret Closer'] }]) {
      expect((await caller.deals.find({ fields: ['id'], filter })).value()).toEqual({ deals: [], next: null })
      expect(await caller.deals.count({ filter })).toEqual({ count: 0, amount: 0 })
      expect(await caller.deals.board({ filter })).toEqual({ columns: [] })
    }
    expect(await caller.deals.choices({})).toEqual({ stages: [], pipelines: [], states: [], people: [] })
    const [theirs, nobodys] = [await refusalOf(caller.deals.history({ id: dealId })), await refusalOf(caller.deals.history({ id: '777777777' }))]
    expect(theirs).toMatchObject({ code: 'NOT_FOUND', message: nobodys.message })
  })

  test("are the operator's to see, all of them or one partner's", async () => {
    const { slug } = await makePartner([{ id: ++lastId, dealname: 'Ours' }])
    const operator = callerOf('operator', null)
    expect((await operator.deals.count({ filter: { partner: slug } })).count).toBe(1)
    expect((await operator.deals.count({})).count).toBeGreaterThan(1)
    expect((await refusalOf(operator.deals.find({ fields: ['id'], filter: { partner: 'nobody' } }))).code).toBe('BAD_REQUEST')
  })
})

test('choices and the board count what there is; stages are in the order in which deals get there', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const { caller } = await makePartner([
    { id: ++lastId, stage: 'Installed', amount: 5, siteSurveyCompleted: at, installComplete: at, state: 'AZ', closerName: 'Jo Reyes' },
    { id: ++lastId, stage: 'Survey', amount: 2, siteSurveyCompleted: at, state: 'AZ', setterName: 'Jo Reyes' },
    { id: ++lastId, stage: 'New', state: 'CA', closerName: 'Kim' }, { id: ++lastId, stage: 'New', pipeline: 'Solar' },
  ])
  expect(await caller.deals.choices({})).toEqual({
    stages: [{ value: 'New', count: 2 }, { value: 'Installed', count: 1 }, { value: 'Survey', count: 1 }],
    pipelines: [{ value: '', count: 3 }, { value: 'Solar', count: 1 }],
    states: [{ value: 'AZ', count: 2 }, { value: '', count: 1 }, { value: 'CA', count: 1 }],
    people: [{ value: 'Jo Reyes', count: 2 }, { value: 'Kim', count: 1 }],
  })
  expect(await caller.deals.board({})).toEqual({ columns: [{ stage: 'New', count: 2, amount: 0 }, { stage: 'Survey', count: 1, amount: 2 }, { stage: 'Installed', count: 1, amount: 5 }] })
})

test('the history of a deal is every event with its changes, newest first, some at a time', async () => {
  const id = ++lastId
  const { caller } = await makePartner([{ id, amount: 0 }])
  for (let amount = 1; amount <= 20; amount++) {
    await writeDeals(database.db, [{ record: { id, amount }, partnerId: undefined }], { now: new Date('2026-03-01T17:20:05Z'), events: true })
  }
  const newest = (await caller.deals.history({ id: String(id) })).value()
  expect(newest.events).toHaveLength(20)
  expect(newest.events[0]).toEqual({ sequence: 21, type: 'deal.updated', timestamp: '2026-03-01T17:20:05.000Z', changes: [{ field: 'amount', from: 19, to: 20 }] })
  expect((await caller.deals.history({ id: String(id), before: newest.next })).value()).toEqual({ events: [expect.objectContaining({ sequence: 1, type: 'deal.created', changes: [] })], next: null })
})

test('an export gives all deals that match; at most two are underway', async () => {
  const { id: partnerId } = await makePartner(Array.from({ length: 600 }, (_, index) => ({ id: ++lastId, dealname: `Deal ${index}`, hasHoa: index % 2 === 0 })))
  const caller = streams.createCaller(contextOf('member', partnerId))
  const names: (string | null)[] = []
  for await (const some of await caller.deals.export({ filter: { flags: { hasHoa: true } }, sort: { field: 'dealname', direction: 'asc' } })) names.push(...some.map(({ dealname }) => dealname))
  expect(names).toHaveLength(300)
  expect(names.slice(0, 2)).toEqual(['Deal 0', 'Deal 10'])
  const started = await Promise.all([1, 2, 3].map(() => caller.deals.export({})))
  expect((await started[0]!.next()).done).toBe(false)
  expect((await started[1]!.next()).done).toBe(false)
  expect((await refusalOf(started[2]!.next())).code).toBe('SERVICE_UNAVAILABLE')
  await started[0]!.return(undefined)
  const next = await caller.deals.export({})
  expect((await next.next()).done).toBe(false)
  await Promise.all([started[1]!.return(undefined), next.return(undefined)])
})
