import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { writeCountedDeals } from '#e2e/counted-deals.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { DealRecord, KnownDeal } from '../deals/deal.ts'
import { evidenceOf } from '../deals/milestones/evidence.ts'
import { daysTaken, flowFields, flowSteps, lastStepsNow, stepNow } from '../deals/milestones/flow.ts'
import { milestones } from '../deals/milestones/milestone.ts'
import { statusOf, stepsOf } from '../deals/milestones/status.ts'
import { timelineOf } from '../deals/milestones/timeline.ts'
import { classifyStage } from '../stages/stage.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, utc } from '../values/zone.ts'
import { findFirst } from './store.ts'
import { type DealFilter, initialSort } from './wire.ts'

let database: TestDatabase
let tenant: TenantScope
let deals: KnownDeal[]
const now = new Date()
const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
const date = (days: number) => `${day(days).slice(0, 10)}T00:00:00.000Z`

const surveyed = { createDate: day(90), siteSurveyCompleted: date(80) }
const designed = { ...surveyed, cadCompleted: day(75), engineeringCompleted: day(70.5) }
const ready = { ...designed, ntpApproved: date(60) }
const installed = { ...ready, permitReceived: day(40), installComplete: date(20) }
const edges: Partial<DealRecord>[] = [
  {},
  { createDate: day(0) },
  { createDate: day(-2) },
  { createDate: date(0) },
  { createDate: day(9), siteSurveyRequested: day(8) },
  { createDate: day(9), siteSurveyCompleted: day(10) },
  { createDate: day(9), siteSurveyCompleted: date(9) },
  { createDate: day(9), siteSurveyCompleted: date(-1) },
  surveyed,
  { ...surveyed, engineeringCompleted: day(70) },
  { siteSurveyCompleted: day(4), cadCompleted: date(-1) },
  designed,
  { ...designed, ntpRequested: day(3) },
  { ...designed, permitSubmitted: day(3) },
  ready,
  { ...ready, permitRequired: true },
  { ...ready, permitRequired: true, permitSubmitted: date(30) },
  { ...ready, permitRequired: true, permitSubmitted: date(-1) },
  { ...ready, permitSubmitted: day(65), permitReceived: day(40) },
  { ...ready, permitSubmitted: day(30), permitReceived: day(40) },
  { ...ready, installComplete: day(3) },
  { ...ready, permitRequired: true, installComplete: day(3) },
  { ...ready, installCompleted: true },
  installed,
  { ...installed, reInstallScheduled: day(5) },
  { ...installed, stage: 'On hold' },
  { ...installed, stage: 'Cancelled' },
  { ...installed, stage: '' },
  { ...installed, fundingSubmitted: day(10) },
  { ...installed, fundingSubmitted: day(10), m2Approved: true },
  { ...installed, m2Approved: true },
  { ...installed, fundingSubmitted: date(10), stage: 'Funded', timeInCurrentStage: day(2) },
  { ...installed, fundingSubmitted: date(10), stage: 'Funded', timeInCurrentStage: day(12) },
  { stage: 'Funded' },
  { stage: 'HOA Review', hasHoa: true },
  { ...ready, stage: 'Permit Preparation' },
  { ...ready, stage: 'Install Scheduled', permitRequired: false },
  { ...ready, stage: 'Install Scheduled', installedScheduled: date(1) },
  { ...ready, stage: 'Install Scheduled', installedScheduled: date(0) },
  { ...ready, stage: 'Install Scheduled', installedScheduled: day(1) },
  { ...ready, stage: 'Permit Submitted', permitSubmitted: day(3), expectedPermitDeliveryDate: date(2) },
  { ...installed, stage: 'Install Complete' },
  { ...installed, stage: 'Awaiting PTO', fundingSubmitted: day(3) },
  { stage: 'CAD Design' },
  { stage: 'Permit Submitted' },
]

beforeAll(async () => {
  database = await createTestDatabase()
  ;({ tenant, deals } = await writeCountedDeals(database.db, { perPartner: 60, edges, now }))
})
afterAll(() => database.drop())

const stageOf = (deal: KnownDeal) => classifyStage(deal.stage ?? '')
const statusNow = (deal: KnownDeal) => statusOf(deal, stageOf(deal), Date.now())

async function expectFound(filter: DealFilter, zone: Zone, isWanted: (deal: KnownDeal) => boolean) {
  const found = await findFirst(database.db, { tenant, filter, zone }, initialSort, 5000)
  const wanted = deals.filter(isWanted).map(({ id }) => id)
  expect(found.map(({ cursor: { id } }) => id).toSorted(), JSON.stringify(filter)).toEqual(wanted.toSorted())
  return wanted.length
}

describe.each([utc, 'America/Los_Angeles', 'Pacific/Kiritimati'] as Zone[])('by the days of %s', (zone) => {
  test('a filter by days in a step matches the rule for each deal', async () => {
    for (const step of flowSteps) {
      const counts = await Promise.all(
        [0, 10].map((days) =>
          expectFound({ inStep: { [step]: days } }, zone, (deal) => {
            const stage = stageOf(deal)
            if (days === 0) return stage.kind === 'open' && statusNow(deal).flowStep === step
            const at = stepNow(deal, stage.kind, evidenceOf(deal, stage, Date.now()), Date.now(), zone)
            return at?.step === step && at.days >= days
          }),
        ),
      )
      expect(counts[0], step).toBeGreaterThan(0)
    }
  })

  test('a filter finds open deals with an unknown step', async () => {
    const isUnknown = (deal: KnownDeal) => stageOf(deal).kind === 'open' && statusNow(deal).flowStep === null
    expect(await expectFound({ inStep: { unknown: 0 } }, zone, isUnknown)).toBeGreaterThan(0)
    await expectFound({ inStep: { unknown: 0, permit: 0 } }, zone, (deal) => {
      const isInPermit = stageOf(deal).kind === 'open' && statusNow(deal).flowStep === 'permit'
      return isInPermit || isUnknown(deal)
    })
  })

  test('a filter finds the deals without a date of a step that is done', async () => {
    const ends = flowSteps.filter((step) => step !== 'payment').map((step) => flowFields[step].to)
    const nameOf = (end: string) =>
      milestones.find(({ dates }) => dates.some(({ field }) => field === end))!.name
    const count = await expectFound({ isUndated: true }, zone, (deal) =>
      ends.some((end) => deal[end] === null && (statusNow(deal).done & stepsOf([nameOf(end)])) !== 0),
    )
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(deals.length)
  })

  test('a filter finds the deals that are late in their timelines', async () => {
    const isLate = (deal: KnownDeal) =>
      timelineOf(deal, stageOf(deal), Date.now(), zone).some(({ state }) => state === 'late')
    expect(await expectFound({ isLate: true }, zone, isLate)).toBeGreaterThan(0)
    await expectFound(
      { lateWith: ['install'] },
      zone,
      (deal) => isLate(deal) && statusNow(deal).dueStep === 'install',
    )
  })

  test('a filter finds the deals with a known duration of a step, and by progress', async () => {
    for (const step of flowSteps) {
      const count = await expectFound(
        { took: [step] },
        zone,
        (deal) => daysTaken(deal, stageOf(deal).kind, step, Date.now(), zone) !== null,
      )
      expect(count, step).toBeGreaterThan(0)
    }
    for (const name of lastStepsNow) {
      await expectFound({ reached: [name] }, zone, (deal) => statusNow(deal).reached === name)
    }
  })
})
