import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { users } from '#db/schema/accounts.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { signedIn } from '#e2e/signed-in.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { Deal, DealRecord } from '../deals/deal.ts'
import { type TimeField, timeFields } from '../deals/find/columns.ts'
import { countDeals } from '../deals/find/count-store.ts'
import { findFirst } from '../deals/find/store.ts'
import { type DealFilter, initialSort } from '../deals/find/wire.ts'
import type { MilestoneName } from '../deals/milestones/milestone.ts'
import { heldOf } from '../deals/milestones/money.ts'
import { timelineOf } from '../deals/milestones/timeline.ts'
import { parseDeal } from '../deals/render.ts'
import { type DayWindow, windowSince } from '../protocol/day-window.ts'
import { toApiError } from '../protocol/errors.ts'
import { addDays, dayOf, utc } from '../protocol/zone.ts'
import type { Services } from '../runtime/services.ts'
import { classifyStage, isClosed } from '../stages/stage.ts'
import { type QuestionName, attentionNames } from './question.ts'
import { insightRouter } from './router.ts'
import type { NewsCount } from './wire.ts'

let database: TestDatabase
const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
beforeAll(async () => {
  database = await createTestDatabase()
  // Another partner has similar data, to expose leaks.
  await makePartner([
    ...demoDeals({ partner: demoPartners[1]!, count: 150, firstId: 7_000_000n, now: new Date() }),
  ])
})
afterAll(() => database.drop())

let last = 1000
const nextId = () => BigInt(++last)

async function makePartner(deals: DealRecord[] = [], events = true) {
  const partner = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
  await write(partner.id, deals, events)
  return partner.id
}

const write = (partnerId: number, records: DealRecord[], events = true, now = new Date()) =>
  writeDeals(
    database.db,
    records.map((record) => ({ record, partnerId })),
    { now, events },
  )

/** Returns an actor's overview, and the counts of filters for the same actor. */
async function enter(partnerId: number | null) {
  const services = { db: database.db } as Services
  const context = await signedIn(services, { role: partnerId === null ? 'operator' : 'member', partnerId })
  const caller = insightRouter.createCaller(context)
  const { tenant, user } = context.actor
  return {
    userId: user.id,
    tenant,
    overview: (window?: DayWindow) => caller.overview({ window }),
    find: (filter: DealFilter) => find(tenant, filter),
    count: (filter: DealFilter) => countDeals(database.db, { tenant, filter, zone: utc }),
  }
}

const find = async (tenant: TenantScope, filter: DealFilter) =>
  (await findFirst(database.db, { tenant, filter, zone: utc }, initialSort, 1000)).map(({ json }) =>
    parseDeal(json),
  )

test('rejects signed-out callers', async () => {
  const caller = insightRouter.createCaller({
    services: { db: database.db } as Services,
    actor: null,
    ifNoneMatch: () => false,
  })
  expect(toApiError(await caller.overview().catch((error: unknown) => error)).code).toBe('UNAUTHORIZED')
})

test('everything is empty without deals', async () => {
  const { overview } = await enter(await makePartner())
  const { dealCount, figures, attention, stages, news, waiting, weeks } = await overview()
  expect({ dealCount, attention, stages, waiting }).toEqual({
    dealCount: 0,
    attention: [],
    stages: [],
    waiting: [],
  })
  expect(figures.map(({ count, amount }) => [count, amount])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ])
  expect(news).toMatchObject({ window: 'last-7-days', lastVisit: null, lines: [] })
  expect(news!.counts.map(({ name, count }) => [name, count])).toEqual([
    ['new', 0],
    ['updated', 0],
    ['moved', 0],
  ])
  expect(weeks).toHaveLength(12)
})

describe.each([
  ['a partner', false],
  ['the operator', true],
])('of %s', (_, isOperator) => {
  test('each number equals its list', async () => {
    const partnerId = await makePartner([
      ...demoDeals({
        partner: demoPartners[0]!,
        count: 400,
        firstId: isOperator ? 1_000_000n : 4_000_000n,
        now: new Date(),
      }),
    ])
    await write(partnerId, [
      { id: nextId(), stage: null, createDate: day(1) },
      { id: nextId(), stage: '', amount: 5 },
      { id: nextId(), stage: 'Complete', hasOutstandingItems: true },
      {
        id: nextId(),
        stage: 'Inspection',
        reInspectionRequested: day(2),
        hasChangesToAdders: true,
        lastModified: day(40),
      },
      // The demo does not have a deal of each kind on every day.
      { id: nextId(), stage: 'Funding', installComplete: day(20) },
      { id: nextId(), stage: 'M2 Approval', installCompleted: true, fundingSubmitted: day(20) },
      { id: nextId(), stage: 'Install Scheduled', installedScheduled: day(2) },
      { id: nextId(), stage: 'Permit Submitted', expectedPermitDeliveryDate: day(2) },
      { id: nextId(), stage: 'Engineering', hasHoa: true, cadCompleted: day(2), hasOutstandingItems: true },
    ])
    const { overview, count } = await enter(isOperator ? null : partnerId)
    const { dealCount, figures, parts, attention, stages, weeks } = await overview()
    // Sums depend on the order in their last digits.
    const like = ({ count: deals, amount }: { count: number; amount: number | null }) => ({
      count: deals,
      amount: expect.closeTo(amount ?? Number.NaN, 2),
    })
    expect(dealCount).toBe((await count({})).count)
    expect(attention.map(({ name }) => name).toSorted()).toEqual(attentionNames.toSorted())
    const weights = attention.map(({ dollarDays }) => dollarDays)
    expect(weights).toEqual(weights.toSorted((a, b) => b - a))
    for (const counted of [...figures, ...parts, ...attention])
      expect(counted).toMatchObject(like(await count(counted.filter)))
    expect(stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(['', 'Site Survey', 'Cancelled']))
    for (const stage of stages) expect(stage).toMatchObject(like(await count({ stages: [stage.stage] })))
    const inOpenStages = stages.filter(({ kind }) => kind === 'open' || kind === 'on-hold')
    expect(figures.find(({ name }) => name === 'open')).toMatchObject(
      like({
        count: inOpenStages.reduce((sum, each) => sum + each.count, 0),
        amount: inOpenStages.reduce((sum, each) => sum + each.amount, 0),
      }),
    )
    expect(stages.reduce((sum, each) => sum + each.count, 0)).toBe(dealCount)
    expect(figures.find(({ name }) => name === 'installed')).toMatchObject(
      like({
        count: parts.reduce((sum, each) => sum + each.count, 0),
        amount: parts.reduce((sum, each) => sum + each.amount, 0),
      }),
    )
    for (const { from, created, installed, funded } of weeks) {
      const to = new Date(Date.parse(from) + 6 * 86_400_000).toISOString().slice(0, 10)
      const counts = [
        { createDate: { from, to } },
        { installComplete: { from, to } },
        { fundingSubmitted: { from, to } },
      ].map((dates) => count({ dates }))
      expect([from, created, installed, funded]).toEqual([
        from,
        ...(await Promise.all(counts)).map((list) => list.count),
      ])
    }
  })
})

test('the list of open deals is empty if all are closed', async () => {
  const partnerId = await makePartner([
    { id: nextId(), stage: 'Complete' },
    { id: nextId(), stage: 'Lost' },
  ])
  const { overview, count } = await enter(partnerId)
  const [open] = (await overview()).figures
  expect(open).toMatchObject({ name: 'open', count: 0 })
  expect(await count(open!.filter)).toMatchObject({ count: 0 })
})

test('late, installed and payable deals follow from their timelines', async () => {
  const now = new Date()
  const demo = demoPartners.flatMap((partner, index) => [
    ...demoDeals({ partner, count: 300, firstId: BigInt(10_000_000 * (index + 1)), now }),
  ])
  const edges: Partial<DealRecord>[] = [
    { installedScheduled: day(2), stage: 'Install Scheduled' },
    { installedScheduled: day(2), stage: 'On Hold' },
    { installedScheduled: day(2), stage: 'Inspection' },
    { installedScheduled: day(2), stage: 'Install Scheduled', m2Approved: true },
    { installedScheduled: day(2), stage: 'Install Scheduled', installComplete: day(-1) },
    { expectedPermitDeliveryDate: day(2), permitSubmitted: day(5), stage: 'Permit Submitted' },
    { expectedPermitDeliveryDate: day(2), permitRequired: true, stage: 'Engineering' },
    { expectedPermitDeliveryDate: day(2), hasHoa: true },
    { installCompleted: true, fundingSubmitted: day(-1), stage: 'Funding' },
    { installComplete: day(3), m2Approved: true, stage: 'Awaiting PTO' },
  ]
  const records = edges.map((edge) => ({ ...edge, id: nextId() }))
  const { tenant, overview } = await enter(await makePartner([...demo, ...records], false))
  const deals = await find(tenant, {})
  expect(deals).toHaveLength(demo.length + edges.length)
  const { figures, parts, attention } = await overview()
  const stageOf = (deal: Deal) => classifyStage(deal.stage ?? '')
  const isLateWith = (deal: Deal, name: MilestoneName) =>
    timelineOf(deal, stageOf(deal), now.getTime(), utc)
      .filter(({ state }) => state === 'late')
      .toSorted((a, b) => a.daysUntil! - b.daysUntil!)[0]?.name === name
  const gateOf = (deal: Deal) => heldOf(deal, stageOf(deal), now.getTime())?.gate
  const rules: Partial<Record<QuestionName, (deal: Deal) => boolean>> = {
    installed: (deal) => ['submit', 'approve'].includes(gateOf(deal)!),
    toSubmit: (deal) => gateOf(deal) === 'submit',
    toApprove: (deal) => gateOf(deal) === 'approve',
    lateInstall: (deal) => isLateWith(deal, 'install'),
    latePermit: (deal) => isLateWith(deal, 'permit'),
  }
  for (const [name, rule] of Object.entries(rules)) {
    const { filter } = [...figures, ...parts, ...attention].find((counted) => counted.name === name)!
    const wanted = deals.filter((deal) => !isClosed(classifyStage(deal.stage ?? '').kind) && rule(deal))
    expect(wanted.length, name).toBeGreaterThan(0)
    expect((await find(tenant, filter)).map(({ id }) => id).toSorted(), name).toEqual(
      wanted.map(({ id }) => id).toSorted(),
    )
  }
})

describe('attention', () => {
  test.each<[string, Partial<DealRecord>, Partial<DealRecord>[]]>([
    [
      'unfunded',
      { stage: 'Inspection', installComplete: day(14), lastModified: day(1) },
      [
        { stage: 'Inspection', installComplete: day(13) },
        { stage: 'Inspection', installComplete: day(40), fundingSubmitted: day(1) },
        { stage: 'Inspection', installComplete: day(40), m2Approved: true },
        { installComplete: day(40) },
      ],
    ],
    [
      'unapproved',
      { stage: 'M2 Review', fundingSubmitted: day(14) },
      [
        { stage: 'M2 Review', fundingSubmitted: day(13) },
        { stage: 'M2 Review', fundingSubmitted: day(40), m2Approved: true },
        { fundingSubmitted: day(40) },
      ],
    ],
    [
      'reInspection',
      { stage: 'Inspection', reInspectionRequested: day(1) },
      [
        { stage: 'Inspection', inspectionRequested: day(1) },
        { stage: 'Funding', reInspectionRequested: day(1) },
      ],
    ],
    [
      'lateInstall',
      { stage: 'Install Scheduled', installedScheduled: day(1) },
      [
        { stage: 'Install Scheduled', installedScheduled: day(0) },
        { stage: 'Install Scheduled', installedScheduled: day(9), installComplete: day(9) },
        { stage: 'Install Scheduled', installedScheduled: day(9), installCompleted: true },
        { stage: 'Inspection', installedScheduled: day(9) },
        { installedScheduled: day(9) },
      ],
    ],
    [
      'latePermit',
      { stage: 'Permit Submitted', expectedPermitDeliveryDate: day(1) },
      [
        { stage: 'Permit Submitted', expectedPermitDeliveryDate: day(0) },
        { stage: 'Permit Submitted', expectedPermitDeliveryDate: day(9), permitReceived: day(2) },
        { stage: 'Install Scheduled', expectedPermitDeliveryDate: day(9) },
        { expectedPermitDeliveryDate: day(9), permitRequired: true },
      ],
    ],
    ['outstandingItems', { hasOutstandingItems: true }, [{ hasOutstandingItems: false }]],
    ['changedAdders', { hasChangesToAdders: true }, [{}]],
    [
      'hoaApproval',
      { stage: 'Permit Submitted', hasHoa: true, cadCompleted: day(3) },
      [
        { stage: 'Permit Submitted', hasHoa: true },
        { stage: 'Permit Submitted', cadCompleted: day(3) },
        { stage: 'Permit Submitted', hasHoa: true, cadCompleted: day(3), hoaApprovedDate: day(1) },
        { stage: 'Inspection', hasHoa: true, cadCompleted: day(3) },
        { hasHoa: true, cadCompleted: day(3) },
      ],
    ],
    ['quiet', { lastModified: day(30) }, [{ lastModified: day(29) }, {}]],
  ])('counts by %s', async (name, example, others) => {
    const id = nextId()
    const { tenant, overview } = await enter(
      await makePartner([
        { id, stage: 'Open', ...example },
        ...others.map((other) => ({ id: nextId(), stage: 'Open', ...other })),
        { id: nextId(), ...example, stage: 'Cancelled' },
      ]),
    )
    const { attention } = await overview()
    expect(attention.map((counted) => [counted.name, counted.count])).toEqual([[name, 1]])
    const isDated = Object.keys(example).some((field) => timeFields.includes(field as TimeField))
    expect(attention[0]).toMatchObject({ days: isDated ? expect.any(Number) : null, dollarDays: 0 })
    expect((await find(tenant, attention[0]!.filter)).map((deal) => deal.id)).toEqual([id])
  })
})

test('waiting deals are open, longest in their stage first', async () => {
  const [longest, second, cancelled, funded, unknown] = [nextId(), nextId(), nextId(), nextId(), nextId()]
  const { overview } = await enter(
    await makePartner([
      { id: second, stage: 'Inspection', timeInCurrentStage: day(5) },
      {
        id: longest,
        stage: 'Permit Submitted',
        timeInCurrentStage: day(90),
        dealname: 'Lopez, Ana',
        city: 'Austin',
        amount: 12,
      },
      { id: cancelled, stage: 'Cancelled', timeInCurrentStage: day(300) },
      { id: funded, stage: 'Awaiting PTO', timeInCurrentStage: day(200), fundingSubmitted: day(200) },
      { id: unknown, stage: 'Inspection' },
    ]),
  )
  const { waiting } = await overview()
  expect(waiting.map(({ id }) => id)).toEqual([funded, longest, second])
  expect(waiting[1]).toEqual({
    id: longest,
    dealname: 'Lopez, Ana',
    firstName: null,
    lastName: null,
    city: 'Austin',
    state: null,
    stage: 'Permit Submitted',
    timeInCurrentStage: expect.any(String),
    amount: 12,
  })
})

describe('news', () => {
  test('are the net changes since the last visit', async () => {
    const [old, moved, fresh, undone] = [nextId(), nextId(), nextId(), nextId()]
    const partnerId = await makePartner([], false)
    // Its text looks like a stage change.
    const trap = '{"field":"stage",'
    await write(
      partnerId,
      [
        { id: old, stage: 'A' },
        { id: moved, stage: 'A', amount: 1, city: 'X' },
        { id: undone, stage: 'A', notes: trap },
      ],
      true,
      new Date(day(8)),
    )
    const { userId, overview, find } = await enter(partnerId)
    await database.db
      .update(users)
      .set({ lastVisitAt: new Date(day(6)), seenAt: new Date() })
      .where(eq(users.id, userId))
    await write(
      partnerId,
      [
        { id: moved, stage: 'B' },
        { id: undone, city: 'B', adders: trap },
      ],
      true,
      new Date(day(1)),
    )
    await write(partnerId, [
      { id: moved, stage: 'C', stageId: 'c', amount: 2, city: 'Y' },
      { id: undone, city: null, adders: null },
      { id: fresh, stage: 'A', lastName: 'Lopez' },
    ])
    const { news } = await overview()
    expect(news).toMatchObject({
      window: windowSince(dayOf(day(6), utc), dayOf(new Date(), utc)),
      lastVisit: expect.any(String),
    })
    const lines = news!.lines.map(({ deal, isNew, stage, fields }) => ({ id: deal.id, isNew, stage, fields }))
    expect(lines).toEqual([
      { id: moved, isNew: false, stage: { from: 'A', to: 'C' }, fields: ['city', 'amount'] },
      { id: fresh, isNew: true, stage: null, fields: [] },
      { id: undone, isNew: false, stage: null, fields: [] },
    ])
    expect(news!.lines[1]).toMatchObject({
      deal: { lastName: 'Lopez', stage: 'A' },
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const ids = async (kind: string) =>
      (await find(news!.counts.find(({ name }) => name === kind)!.filter)).map(({ id }) => id).toSorted()
    expect(await ids('new')).toEqual([fresh])
    expect(await ids('updated')).toEqual([moved, undone].toSorted())
    expect(await ids('moved')).toEqual([moved])
    expect(news!.counts.map(({ count }) => count)).toEqual([1, 2, 1])
  })

  test('follow the time of events, not their sequence', async () => {
    const [older, newer] = [nextId(), nextId()]
    const partnerId = await makePartner([], false)
    const records = [newer, older].map((id) => ({ id, stage: 'A' }))
    await write(partnerId, records, false)
    await write(partnerId, [{ id: newer, stage: 'C' }], true, new Date(day(1)))
    await write(partnerId, [{ id: newer, stage: 'B' }], true, new Date(day(2)))
    await write(partnerId, [{ id: older, stage: 'B' }], true, new Date(day(3)))
    const { overview } = await enter(partnerId)
    const { lines } = (await overview('last-7-days')).news!
    expect(lines.map(({ deal }) => deal.id)).toEqual([older, newer])
    // From C to B, then from A to C: by sequence it would have moved from A to B.
    expect(lines[1]!.stage).toBeNull()
  })

  test('are the last seven whole days on the first visit, and others on request', async () => {
    const [today] = new Date().toISOString().split('T')
    const at = (days: number, time: string) => new Date(`${addDays(today!, -days)}T${time}Z`)
    const [older, first, yesterday] = [nextId(), nextId(), nextId()]
    const partnerId = await makePartner()
    await write(partnerId, [{ id: older }], true, at(7, '23:59:59.999'))
    await write(partnerId, [{ id: first }], true, at(6, '00:00:00.000'))
    await write(partnerId, [{ id: yesterday }], true, at(1, '23:59:59.999'))
    const { overview, find } = await enter(partnerId)
    const newIn = async (window?: DayWindow) => {
      const { news } = await overview(window)
      const [{ count, filter }] = news!.counts as [NewsCount]
      expect((await find(filter)).length).toBe(count)
      return [news!.window, news!.lines.map(({ deal }) => deal.id)]
    }
    expect(await newIn()).toEqual(['last-7-days', [yesterday, first]])
    expect(await newIn('last-30-days')).toEqual(['last-30-days', [yesterday, first, older]])
    expect(await newIn('yesterday')).toEqual(['yesterday', [yesterday]])
    expect(await newIn('today')).toEqual(['today', []])
  })

  test('omit a deal that has moved to another partner', async () => {
    const id = nextId()
    const [mine, theirs] = [await makePartner([{ id, stage: 'A' }]), await makePartner()]
    await write(theirs, [{ id, stage: 'B' }])
    const newsOf = async (partnerId: number) => {
      const { counts, lines } = (await (await enter(partnerId)).overview()).news!
      return [counts.map(({ count }) => count), lines.map(({ deal }) => deal.id)]
    }
    expect(await newsOf(mine)).toEqual([[0, 0, 0], []])
    expect(await newsOf(theirs)).toEqual([[1, 0, 0], [id]])
  })

  test('show moved deals before newer ones that did not move, with their closer', async () => {
    const moved = nextId()
    const partnerId = await makePartner([{ id: moved, stage: 'A', closerName: ' Nia ' }], false)
    await write(partnerId, [{ id: moved, stage: 'B' }], true, new Date(day(1)))
    await write(
      partnerId,
      Array.from({ length: 20 }, () => ({ id: nextId() })),
    )
    const { lines } = (await (await enter(partnerId)).overview('last-7-days')).news!
    expect(lines).toHaveLength(10)
    expect(lines[0]).toMatchObject({ deal: { id: moved }, rep: 'Nia' })
  })

  test('count all deals and show the newest', async () => {
    const partnerId = await makePartner(Array.from({ length: 600 }, () => ({ id: nextId() })))
    const { news } = await (await enter(partnerId)).overview()
    expect(news!.counts[0]).toMatchObject({ name: 'new', count: 600, isMore: false })
    expect(news!.lines).toHaveLength(10)
  })

  test('are empty for all partners', async () => {
    expect((await (await enter(null)).overview()).news).toBeNull()
  })
})
