import { beforeAll, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { erase, randomFrom } from '#e2e/erased-deals.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { openGates } from '../deals/blocker.ts'
import { flagFields, timeFields } from '../deals/columns.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord, KnownDeal } from '../deals/deal.ts'
import { flowSteps, lastSteps } from '../deals/flow.ts'
import { sequentialMilestones } from '../deals/milestone.ts'
import { filters } from '../search/filters.ts'
import { findFirst } from '../search/store.ts'
import { type DealFilter, initialSort } from '../search/wire.ts'
import { type Zone, addDays, dayOf } from '../values/zone.ts'
import { readFlow } from './flow-store.ts'
import { readMoney } from './money-store.ts'
import { questionsOf } from './question.ts'
import { readTrends } from './trends-store.ts'

// Results for deals with missing values must also be true of the complete deals, or be reported as left out.

const zone = 'America/Los_Angeles' as Zone
const now = new Date()
const random = randomFrom(7)
const perPartner = 80

const database = useDatabase()
let whole: PartnerId
let erased: PartnerId

beforeAll(async () => {
  const make = async (slug: string): Promise<PartnerId> => (await insertPartner(database.db, slug, slug))!.id
  ;[whole, erased] = [await make('whole'), await make('erased')]
  const deals = demoPartners.flatMap((partner, index) => [
    ...demoDeals({ partner, count: perPartner, firstId: BigInt(1_000_000 * (index + 1)), now }),
  ])
  const write = (partnerId: number, records: DealRecord[]) =>
    writeDeals(
      database.db,
      records.map((record) => ({ record, partnerId })),
      { now, events: false },
    )
  await write(whole, deals)
  await write(
    erased,
    deals.map((deal, index) => ({ ...withoutSome(deal, index), id: erasedId(deal.id) })),
  )
})

const erasedId = (id: bigint) => -id

/** Returns the record of a deal without some of its fields. Every fourth record has no stage. */
function withoutSome(deal: KnownDeal, index: number): DealRecord {
  const left = erase(deal, random, { chance: 0.1 + 0.6 * random(), isStageErased: index % 4 === 3 })
  return Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null)) as DealRecord
}

const found = async (tenant: PartnerId, filter: DealFilter): Promise<Set<bigint>> =>
  new Set(
    (await findFirst(database.db, { tenant, filter, zone }, initialSort, 1000)).map(({ cursor: { id } }) =>
      id < 0n ? erasedId(id) : id,
    ),
  )

const weekAgo = addDays(dayOf(now, zone), -7)

/** Filters that state something about a deal, unlike filters by missing values. */
const claims: DealFilter[] = [
  ...sequentialMilestones.flatMap((name): DealFilter[] => [
    { done: [name] },
    { todo: [name] },
    { lateWith: [name] },
  ]),
  ...openGates.flatMap((gate): DealFilter[] => (gate === 'unknown' ? [] : [{ gates: [gate] }])),
  ...(Object.keys(filters.hold.names) as (keyof typeof filters.hold.names)[]).flatMap((hold): DealFilter[] =>
    hold === 'unknown' ? [] : [{ holds: [hold] }],
  ),
  ...flowSteps.flatMap((step): DealFilter[] => [
    { inStep: { [step]: 0 } },
    { inStep: { [step]: 9 } },
    { took: [step] },
  ]),
  ...lastSteps.map((_, index): DealFilter => ({ reached: lastSteps.slice(index) })),
  ...flagFields.flatMap((field): DealFilter[] => [
    { flags: { [field]: true } },
    { flags: { [field]: false } },
  ]),
  ...timeFields.flatMap((field): DealFilter[] => [
    { present: [field] },
    { dates: { [field]: { from: weekAgo } } },
    { dates: { [field]: { to: weekAgo } } },
  ]),
  { isLate: true },
  { isLost: true },
  { amount: { min: 30_000 } },
  { size: { max: 8 } },
]

test('a filter finds no deal with missing values that it does not find when the deal is complete', async () => {
  const wrong: string[] = []
  let [claimed, more] = [0, 0]
  for (const filter of claims) {
    const [ofErased, ofWhole] = [await found(erased, filter), await found(whole, filter)]
    claimed += ofErased.size
    more += ofWhole.size
    for (const id of ofErased) if (!ofWhole.has(id)) wrong.push(`${JSON.stringify(filter)}: ${id}`)
  }
  expect(wrong).toEqual([])
  // A filter that never finds anything would also pass.
  expect(claimed).toBeGreaterThan(more / 3)
  expect(claimed).toBeLessThan(more)
})

test('a filter by missing values finds at least the deals that it finds when the data is complete', async () => {
  for (const field of [...timeFields, 'amount', 'systemSize', 'totalPpw'] as const) {
    const [ofErased, ofWhole] = [
      await found(erased, { missing: [field] }),
      await found(whole, { missing: [field] }),
    ]
    expect([...ofWhole].filter((id) => !ofErased.has(id))).toEqual([])
    expect(ofErased.size).toBeGreaterThan(ofWhole.size)
  }
})

test('deals with missing values need attention only if the complete deals do', async () => {
  const questions = Object.entries(questionsOf(dayOf(now, zone)))
  // Excludes questions about missing values, and the approval question, whose approval may exist but be
  // unrecorded.
  const isClaim = (name: string) => !/^not|hoaApproval/.test(name)
  const withoutStage = await found(erased, { stages: [''] })
  for (const [name, { filter }] of questions.filter(([each]) => isClaim(each))) {
    const [ofErased, ofWhole] = [await found(erased, filter), await found(whole, filter)]
    expect(
      [...ofErased].filter((id) => !withoutStage.has(id) && !ofWhole.has(id)),
      name,
    ).toEqual([])
  }
})

const means = () => ({ db: database.db })

/** A sum over deals with missing values and over the complete deals, and the number of deals left out. */
interface Sum {
  what: string
  actual: number
  whole: number
  leftOut?: number
}

/**
 * Returns the wrong sums: larger than the sum over complete deals, or smaller by more than the number of
 * deals left out.
 */
const wrongIn = (sums: Sum[]) =>
  sums.filter(({ actual, whole: all, leftOut = Infinity }) => actual > all || all > actual + leftOut)

test('sums over deals with missing values differ at most by the deals reported as left out', async () => {
  const read = async (tenant: PartnerId) => ({
    money: await readMoney(means(), { tenant, zone }, now),
    flow: await readFlow(means(), { tenant, zone }, now, '24'),
    trends: await readTrends(means(), { tenant, zone }, now, '24', 'month'),
  })
  const [gaps, all] = [await read(erased), await read(whole)]
  const { leftOut } = gaps.flow
  const notKnown = gaps.money.gates.find(({ name }) => name === 'unknown')!.count
  const gates = gaps.money.gates.flatMap(({ name, count, amount }, index): Sum[] => {
    const ofWhole = all.money.gates[index]!
    if (name === 'unknown') return []
    return [
      { what: name, actual: count, whole: ofWhole.count, leftOut: notKnown },
      { what: `$ ${name}`, actual: Math.floor(amount), whole: ofWhole.amount },
    ]
  })
  const steps = gaps.flow.steps.flatMap(({ step, waiting, now: current, slower }, index): Sum[] => {
    const ofWhole = all.flow.steps[index]!
    return [
      {
        what: `waits for ${step}`,
        actual: waiting.count,
        whole: ofWhole.waiting.count,
        leftOut: leftOut.stepNotKnown.count,
      },
      { what: `took ${step}`, actual: current.count, whole: ofWhole.now.count },
      ...(slower === null ? [] : [{ what: `slow in ${step}`, actual: slower.count, whole: waiting.count }]),
    ]
  })
  const cohorts = gaps.flow.cohorts.map(({ reach, count }, index): Sum => {
    const missing = leftOut.reachNotKnown.count + leftOut.notCreated.count
    const ofWhole = all.flow.cohorts[index]!
    return {
      what: `reached ${reach}`,
      actual: count,
      whole: ofWhole.count,
      ...(index === 0 && { leftOut: missing }),
    }
  })
  const events = Object.entries(gaps.trends.now).map(([event, { count }]): Sum => ({
    what: event,
    actual: count,
    whole: all.trends.now[event as keyof typeof gaps.trends.now].count,
  }))
  const sums = [...gates, ...steps, ...cohorts, ...events]
  expect(wrongIn(sums)).toEqual([])
  expect(sums.filter(({ actual }) => actual > 0).length).toBeGreaterThan(sums.length / 2)
  expect(gaps.money.unpriced.count).toBe(
    (await found(erased, { missing: ['amount'], isNotLost: true, isPayable: true })).size,
  )
})
