import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { users } from '#db/schema/accounts.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type TimeField, timeFields } from '../deals/columns.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { parseDeal } from '../deals/render.ts'
import type { Services } from '../runtime/services.ts'
import { countDeals } from '../search/count-store.ts'
import { findFirst } from '../search/store.ts'
import { type DealFilter, initialSort } from '../search/wire.ts'
import { addDays, utc } from '../values/zone.ts'
import { attentionNames } from './question.ts'
import { insightRouter } from './router.ts'
import type { HomeScope } from './wire.ts'

const database = useDatabase()
const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
beforeAll(async () => {
  // A second partner with similar data, to detect leaks.
  await makePartner([
    ...demoDeals({ partner: demoPartners[1]!, count: 150, firstId: 7_000_000n, now: new Date() }),
  ])
})

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

const nobody = { id: 1n, userId: null, teams: null, crmTeamId: null, createdAt: null, updatedAt: null }

/** Returns an actor's Home, and a function that counts deals for the same actor. */
async function enter(partnerId: number | null) {
  const services = { db: database.db } as Services
  const context = await signedIn(services, { role: partnerId === null ? 'operator' : 'member', partnerId })
  const caller = insightRouter.createCaller(context)
  const { tenant, user } = context.actor
  return {
    userId: user.id,
    email: user.email,
    tenant,
    home: (show?: HomeScope) => caller.home({ show }),
    find: (filter: DealFilter) => find(tenant, filter),
    count: (filter: DealFilter) => countDeals(database.db, { tenant, filter, zone: utc }),
  }
}

const find = async (tenant: TenantScope, filter: DealFilter) =>
  (await findFirst(database.db, { tenant, filter, zone: utc }, initialSort, 1000)).map(({ json }) =>
    parseDeal(json),
  )

test('Home is empty without deals', async () => {
  const { home } = await enter(await makePartner())
  const { dealCount, attention, reasons, news, show, isNamed } = await home()
  expect({ dealCount, attention, reasons, show, isNamed }).toEqual({
    dealCount: 0,
    attention: [],
    reasons: [],
    show: 'everyone',
    isNamed: false,
  })
  expect(news).toMatchObject({ lastVisit: null, lines: [] })
  expect(news!.counts.map(({ name, count }) => [name, count])).toEqual([
    ['new', 0],
    ['updated', 0],
    ['moved', 0],
  ])
})

describe.each([
  ['a partner', false],
  ['the operator', true],
])('Home for %s', (_, isOperator) => {
  test('each number equals its list, and deals are listed once, sorted by dollars times days late', async () => {
    const partnerId = await makePartner([
      ...demoDeals({
        partner: demoPartners[0]!,
        count: 400,
        firstId: isOperator ? 1_000_000n : 4_000_000n,
        now: new Date(),
      }),
    ])
    await write(partnerId, [
      { id: nextId(), stage: 'Complete', hasOutstandingItems: true },
      {
        id: nextId(),
        stage: 'Inspection',
        reInspectionRequested: day(2),
        hasChangesToAdders: true,
        lastModified: day(40),
      },
      // The demo does not have a deal of every kind on every day.
      { id: nextId(), stage: 'Funding', installComplete: day(20) },
      { id: nextId(), stage: 'M2 Approval', installCompleted: true, fundingSubmitted: day(20) },
      { id: nextId(), stage: 'Install Scheduled', installedScheduled: day(2) },
      { id: nextId(), stage: 'Permit Submitted', expectedPermitDeliveryDate: day(2) },
      { id: nextId(), stage: 'Engineering', hasHoa: true, cadCompleted: day(2), hasOutstandingItems: true },
    ])
    const { home, count } = await enter(isOperator ? null : partnerId)
    const { dealCount, reasons, attention, payments } = await home()
    expect(dealCount).toBe((await count({})).count)
    expect(reasons.map(({ name }) => name)).toEqual(attentionNames)
    for (const counted of [...reasons, ...payments.expected, ...payments.notExpected])
      expect((await count(counted.filter)).count).toBe(counted.count)
    expect(attention).toHaveLength(10)
    expect(new Set(attention.map(({ deal }) => deal.id)).size).toBe(10)
    const weights = attention.map(({ deal, daysLate }) => (deal.amount ?? 0) * (daysLate ?? 0))
    expect(weights).toEqual(weights.toSorted((x, y) => y - x))
    expect(weights[0]).toBeGreaterThan(0)
  })
})

test('shows deals that name the viewer by default, and all deals on request', async () => {
  const [mine, confirmed, other] = [nextId(), nextId(), nextId()]
  const late = { stage: 'Install Scheduled', installedScheduled: day(3), createDate: day(30) }
  const partnerId = await makePartner()
  const { home, userId, email } = await enter(partnerId)
  await write(partnerId, [
    { id: mine, ...late, projectManager: { ...nobody, firstName: 'Kim', lastName: 'Reed', email } },
    { id: confirmed, ...late, closerName: 'K. Reed' },
    { id: other, ...late, closerName: 'Someone Else' },
  ])
  const idsOf = async (show?: 'mine' | 'everyone') => {
    const found = await home(show)
    return {
      show: found.show,
      ids: found.attention.map(({ deal }) => deal.id).toSorted(),
      counts: found.reasons.map(({ count }) => count),
      news: found.news!.counts[0]!.count,
    }
  }
  expect(await idsOf()).toEqual({ show: 'mine', ids: [mine], counts: [1], news: 1 })
  await database.db.$client`
    insert into user_people (user_id, person_id) select ${userId}, id from people where name = 'K. Reed'`
  expect(await idsOf()).toEqual({ show: 'mine', ids: [mine, confirmed], counts: [2], news: 2 })
  expect(await idsOf('everyone')).toEqual({
    show: 'everyone',
    ids: [mine, confirmed, other],
    counts: [3],
    news: 3,
  })
  const [line] = (await home('mine')).attention
  expect(line).toMatchObject({ name: 'lateInstall', days: 3, daysLate: 3, held: { hold: 'install' } })
})

describe('reasons for attention', () => {
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
  ])('count deals by %s', async (name, example, others) => {
    const id = nextId()
    const { tenant, home } = await enter(
      await makePartner([
        { id, stage: 'Open', ...example },
        ...others.map((other) => ({ id: nextId(), stage: 'Open', ...other })),
        { id: nextId(), ...example, stage: 'Cancelled' },
      ]),
    )
    const { reasons, attention } = await home()
    expect(reasons.map((counted) => [counted.name, counted.count])).toEqual([[name, 1]])
    const isDated = Object.keys(example).some((field) => timeFields.includes(field as TimeField))
    expect(attention).toMatchObject([{ name, deal: { id }, days: isDated ? expect.any(Number) : null }])
    expect((await find(tenant, reasons[0]!.filter)).map((deal) => deal.id)).toEqual([id])
  })
})

describe('the changes on Home', () => {
  test('are the net changes since the last visit', async () => {
    const [old, moved, fresh, undone] = [nextId(), nextId(), nextId(), nextId()]
    const partnerId = await makePartner([], false)
    // This text looks like a stage change.
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
    const { userId, home, find } = await enter(partnerId)
    await database.db
      .update(users)
      .set({ lastVisitAt: new Date(day(6)), seenAt: new Date() })
      .where(eq(users.id, userId))
    await write(
      partnerId,
      [
        // A change that is undone later is not reported.
        { id: moved, stage: 'B', notes: 'to be undone' },
        { id: undone, city: 'B', adders: trap },
      ],
      true,
      new Date(day(1)),
    )
    await write(partnerId, [
      { id: moved, stage: 'C', stageId: 'c', amount: 2, city: 'Y', notes: null },
      { id: undone, city: null, adders: null },
      { id: fresh, stage: 'A', lastName: 'Lopez' },
    ])
    const { news } = await home()
    expect(news).toMatchObject({ lastVisit: expect.any(String) })
    const lines = news!.lines.map(({ deal, isNew, stage, fields }) => ({ id: deal.id, isNew, stage, fields }))
    expect(lines.toSorted((x, y) => Number(x.id - y.id))).toEqual([
      { id: moved, isNew: false, stage: { from: 'A', to: 'C' }, fields: ['city', 'amount'] },
      { id: fresh, isNew: true, stage: null, fields: [] },
    ])
    expect(news!.lines.find(({ deal }) => deal.id === fresh)).toMatchObject({
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

  test('are sorted by the time of the events, not by their sequence', async () => {
    const [older, newer] = [nextId(), nextId()]
    const partnerId = await makePartner([], false)
    const records = [newer, older].map((id) => ({ id, stage: 'A' }))
    await write(partnerId, records, false)
    await write(partnerId, [{ id: newer, stage: 'C' }], true, new Date(day(1)))
    await write(partnerId, [{ id: newer, stage: 'B' }], true, new Date(day(2)))
    await write(partnerId, [{ id: older, stage: 'B' }], true, new Date(day(3)))
    const { home } = await enter(partnerId)
    const { lines } = (await home()).news!
    expect(lines.map(({ deal }) => deal.id)).toEqual([newer, older])
    // By time, the deal went from A via B and C back to A. By sequence, it would have moved from A to B.
    expect(lines[0]!.stage).toBeNull()
  })

  test('cover the last seven full days on the first visit', async () => {
    const [today] = new Date().toISOString().split('T')
    const at = (days: number, time: string) => new Date(`${addDays(today!, -days)}T${time}Z`)
    const [older, first, yesterday] = [nextId(), nextId(), nextId()]
    const partnerId = await makePartner()
    await write(partnerId, [{ id: older }], true, at(7, '23:59:59.999'))
    await write(partnerId, [{ id: first }], true, at(6, '00:00:00.000'))
    await write(partnerId, [{ id: yesterday }], true, at(1, '23:59:59.999'))
    const { home, find } = await enter(partnerId)
    const { counts, lines } = (await home()).news!
    expect(lines.map(({ deal }) => deal.id)).toEqual([yesterday, first])
    expect((await find(counts[0]!.filter)).length).toBe(counts[0]!.count)
  })

  test('omit a deal that has moved to another partner', async () => {
    const id = nextId()
    const [mine, theirs] = [await makePartner([{ id, stage: 'A' }]), await makePartner()]
    await write(theirs, [{ id, stage: 'B' }])
    const newsOf = async (partnerId: number) => {
      const { counts, lines } = (await (await enter(partnerId)).home()).news!
      return [counts.map(({ count }) => count), lines.map(({ deal }) => deal.id)]
    }
    expect(await newsOf(mine)).toEqual([[0, 0, 0], []])
    expect(await newsOf(theirs)).toEqual([[1, 0, 0], [id]])
  })

  test('count all deals and list the newest', async () => {
    const partnerId = await makePartner(Array.from({ length: 600 }, () => ({ id: nextId() })))
    const { news } = await (await enter(partnerId)).home()
    expect(news!.counts[0]).toMatchObject({ name: 'new', count: 600, isMore: false })
    expect(news!.lines).toHaveLength(6)
  })

  test('are empty for all partners', async () => {
    expect((await (await enter(null)).home()).news).toBeNull()
  })
})

test('offers only the reports for which the deals have the fields', async () => {
  const offersOf = async (deals: Partial<DealRecord>[]) => {
    const partnerId = await makePartner(deals.map((deal) => ({ ...deal, id: nextId() })))
    const context = await signedIn({ db: database.db } as Services, { role: 'admin', partnerId })
    return insightRouter.createCaller(context).offers()
  }
  const none = { map: false, flow: false, trends: false, reps: false, scorecard: false }
  expect(await offersOf([{ stage: 'Install' }])).toEqual(none)
  expect(await offersOf([{ createDate: day(3) }])).toEqual({ ...none, trends: true })
  expect(await offersOf([{ permitReceived: day(3) }])).toEqual({ ...none, flow: true })
  expect(await offersOf([{}, { closerName: 'Ana' }])).toEqual({ ...none, reps: true, scorecard: true })
  expect(await offersOf([{ coordinates: '33.45, -112.07' }])).toEqual({ ...none, map: true })
})
