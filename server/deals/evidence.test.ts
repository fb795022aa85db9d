import { expect, test, describe } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { erase, randomFrom } from '#e2e/erased-deals.ts'
import { sequentialSteps, indexOfStep } from '../stages/place.ts'
import { classifyStage } from '../stages/stage.ts'
import { dayMs } from '../values/units.ts'
import { dayNumberOf, utc } from '../values/zone.ts'
import { blockerOf } from './blocker.ts'
import { type DealField, type KnownDeal, dealFields } from './deal.ts'
import { isServiceTicket, evidenceOf, progressOf } from './evidence.ts'
import { flowSteps, stepNow } from './flow.ts'
import { nextStepOf } from './next-step.ts'
import { expectedSteps } from './payment.ts'
import { statusOf } from './status.ts'
import { type Step, countSteps, isOpen, timelineOf } from './timeline.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as KnownDeal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const past = '2026-03-01T00:00:00.000Z'
const ahead = '2026-04-01T00:00:00.000Z'

const evidence = (stage: string, deal: Partial<KnownDeal> = {}) =>
  evidenceOf({ ...blank, stage, ...deal }, classifyStage(stage), nowMs)

describe('the step that a deal waits for', () => {
  test.each([
    ['Site Survey', {}, 'survey'],
    ['Permit Submitted', {}, 'permit'],
    ['Install Scheduled', { installedScheduled: past }, 'install'],
    ['Funding', {}, 'funding'],
    // The deal's date is ahead of its stage.
    ['Site Survey', { siteSurveyCompleted: past }, 'cad'],
    // Dates in the future are ignored.
    ['Site Survey', { siteSurveyCompleted: ahead }, 'survey'],
    ['CAD Design', { permitReceived: past }, 'install'],
    ['Install Complete', { inspectionRequired: true }, 'inspection'],
    ['Install Complete', { inspectionRequired: false }, 'funding'],
    ['Awaiting PTO', { m2Approved: true }, 'payment'],
    ['Awaiting PTO', { m2Approved: false }, 'm2'],
    ['NTP Approved', { permitRequired: false }, 'install'],
    ['HOA Review', {}, 'hoa'],
    ['HOA Review', { hoaApprovedDate: past, permitSubmitted: past }, 'permit'],
  ] as const)('in the stage %s with %j is %s', (stage, deal, awaited) => {
    expect(evidence(stage, deal).awaited).toBe(awaited)
  })

  test.each([
    ['Install Complete', {}],
    ['Awaiting PTO', {}],
    ['NTP Approved', {}],
    ['In Progress', { siteSurveyCompleted: past, cadRequested: past }],
    ['', { permitReceived: past }],
    ['On Hold', { cadCompleted: past }],
    ['Cancelled', {}],
    ['Complete', {}],
  ] as const)('in the stage %s with %j is unknown', (stage, deal) => {
    expect(evidence(stage, deal).awaited).toBeNull()
  })
})

test('reports a deal whose dates are ahead of its stage', () => {
  expect(evidence('CAD Design', { permitReceived: past }).isStageBehind).toBe(true)
  expect(evidence('CAD Design', { cadCompleted: past }).isStageBehind).toBe(false)
  expect(evidence('CAD Design', {}).isStageBehind).toBe(false)
})

test('all steps before the stage are done, and all steps of a won deal', () => {
  expect(sequentialSteps.slice(0, evidence('Permit Submitted').behind)).toEqual(
    sequentialSteps.slice(0, sequentialSteps.indexOf('permit')),
  )
  expect(evidence('Complete').behind).toBe(sequentialSteps.length)
  expect(evidence('Cancelled').behind).toBe(0)
})

test('changes when the next date passes; a date without a time passes once its day has begun everywhere in the US', () => {
  expect(evidence('', { cadCompleted: ahead, ntpApproved: '2026-05-01T08:00:00.000Z' }).changesAt).toBe(
    Date.parse('2026-04-01T10:00:00.000Z'),
  )
  expect(evidence('', { cadCompleted: past }).changesAt).toBeNull()
})

test.each([
  ['nothing', {}, 0],
  ['a requested survey', { siteSurveyRequested: past }, 0.5],
  ['a survey', { siteSurveyCompleted: past }, 1],
  ['a step after a step without a date', { permitReceived: past }, 6],
  ['a plan for the next step', { permitReceived: past, installedScheduled: ahead }, 6.5],
  ['a future date', { permitReceived: ahead }, 0],
] as const)('%s determines the progress of a deal, independent of its stage', (_, deal, progress) => {
  expect(progressOf({ id: 1n, stage: 'Funding', ...deal }, nowMs)).toBe(progress)
})

const random = randomFrom(1)

const usual = Object.fromEntries(
  flowSteps.map((step, at) => [step, { median: at + 2, slow: 2 * at + 5 }]),
) as never

/** Returns everything that the portal claims about a deal. */
function claimsOf(deal: KnownDeal) {
  const stage = classifyStage(deal.stage ?? '')
  const timeline = timelineOf(deal, stage, nowMs, utc)
  const at = stepNow(deal, stage.kind, evidenceOf(deal, stage, nowMs), nowMs, utc)
  return {
    kind: stage.kind,
    behind: evidenceOf(deal, stage, nowMs).behind,
    timeline,
    status: statusOf(deal, stage, nowMs),
    held: blockerOf(deal, stage, nowMs),
    next: nextStepOf(deal, stage, nowMs, utc),
    counts: countSteps(timeline),
    expected: expectedSteps(at, usual, timeline, '2026-03-15'),
  }
}

type Claims = ReturnType<typeof claimsOf>

/** Returns true if a step of a redacted deal agrees with the complete deal, or is less specific. */
function isTrueOf(claimed: Step, whole: Step | undefined): boolean {
  if (whole === undefined) return claimed.state === 'unknown'
  const { state } = claimed
  const isLengthTrue = claimed.lengthDays === null || claimed.lengthDays === whole.lengthDays
  if (!isLengthTrue || (claimed.isAwaited && claimed.name !== 'stage' && !whole.isAwaited)) return false
  switch (state) {
    case 'unknown':
      return true
    case 'done':
    case 'notRequired':
    case 'late':
      return whole.state === state
    case 'running':
      return whole.state === 'running' || whole.state === 'late'
    case 'planned':
      return isOpen(whole.state) && whole.plannedFor === claimed.plannedFor
    case 'next':
      return isOpen(whole.state)
    case 'toDo':
      return isOpen(whole.state) || whole.state === 'toDo'
  }
}

/** Returns the claims about a redacted deal that are false for the complete deal. */
function falsehoods(claimed: Claims, whole: Claims): string[] {
  const wrong: string[] = []
  const note = (name: string, isTrue: boolean) => void (isTrue || wrong.push(name))
  const same = (name: string, value: unknown, wholeValue: unknown) =>
    note(
      `${name}: ${String(value)} for ${String(wholeValue)}`,
      value === null || value === 'unknown' || value === wholeValue,
    )
  const stepOf = (claims: Claims, name: string) => claims.timeline.find((step) => step.name === name)
  for (const step of claimed.timeline) {
    const ofWhole = stepOf(whole, step.name)
    if (step.name !== 'stage')
      note(`${step.name}: ${step.state} for ${ofWhole?.state ?? 'nothing'}`, isTrueOf(step, ofWhole))
    if (step.gap !== null) {
      const before = claimed.timeline[claimed.timeline.indexOf(step) - 1]?.label
      const daysOf = (label: string | undefined) =>
        (whole.timeline.find((each) => each.label === label)?.dates ?? []).map(({ time }) =>
          dayNumberOf(time, utc),
        )
      const gaps = daysOf(step.label).flatMap((day) =>
        daysOf(step.gap!.after ?? before).map((other) => day - other),
      )
      note(
        `${step.name}: ${step.gap.days} days after ${step.gap.after ?? before}`,
        gaps.includes(step.gap.days),
      )
    }
  }
  same('hold', claimed.status.hold, whole.status.hold)
  same('gate', claimed.status.gate, whole.status.gate)
  same('flow step', claimed.status.flowStep, whole.status.flowStep)
  same('since', claimed.status.since, whole.status.since)
  const planOf = (claims: Claims) =>
    claims.status.dueStep && stepOf(claims, claims.status.dueStep)?.plannedFor
  if (claimed.status.due !== null)
    note('due', planOf(claimed) === stepOf(whole, claimed.status.dueStep!)?.plannedFor)
  note('done', (claimed.status.done & ~whole.status.done) === 0)
  note('to do', (claimed.status.toDo & ~whole.status.toDo) === 0)
  // The redacted deal may have a known step where the complete deal's step is unknown because an earlier date
  // is missing. Therefore checks only the number of completed steps.
  const { reached } = claimed.status
  note('reached', reached === 'unknown' || reached === 'created' || indexOfStep(reached) < whole.behind)
  note('stage behind', !claimed.status.isStageBehind)
  // Only the field itself tells whether there is an interconnection coordinator.
  const isCoordinated = whole.held?.holder === 'ixCoordinator' && claimed.held?.holder !== 'ixCoordinator'
  if (claimed.kind === whole.kind && !isCoordinated) {
    same('holder', claimed.held?.holder ?? null, whole.held?.holder ?? null)
    same('name', claimed.held?.name ?? null, whole.held?.name ?? null)
  }
  const { next } = claimed
  if (next?.kind === 'late' || next?.kind === 'planned')
    note(
      `next ${next.label}`,
      whole.timeline.some(
        ({ plannedFor, state }) =>
          plannedFor === new Date(next.time).toISOString() &&
          (next.kind === 'late') === (state === 'late') &&
          isOpen(state),
      ),
    )
  note('steps done', claimed.counts.done <= whole.counts.done)
  if (claimed.counts.unknown === 0)
    note(
      'steps needed',
      claimed.counts.needed === whole.counts.needed && claimed.counts.done === whole.counts.done,
    )
  for (const [name, { from, to }] of Object.entries(claimed.expected)) {
    const ofWhole = whole.expected[name as Step['name']]
    note(`expected ${name}`, from === ofWhole?.from && to === ofWhole.to)
  }
  return wrong
}

const times = [0, 200, 400].map((days) => new Date(nowMs - days * dayMs))
const wholes = demoPartners.flatMap((partner) =>
  times.flatMap((now) =>
    [...demoDeals({ partner, count: 100, firstId: partner.firstId, now })].map((deal) =>
      shift(deal, nowMs - now.getTime()),
    ),
  ),
)

/** Shifts all dates of a deal, so that "today" is another day of the deal's history. */
function shift(deal: KnownDeal, ms: number): KnownDeal {
  const shifted: Record<string, unknown> = { ...deal }
  for (const [field, { kind }] of Object.entries(dealFields))
    if (kind === 'time' && shifted[field] !== null)
      shifted[field] = new Date(Date.parse(shifted[field] as string) + ms).toISOString()
  return shifted as unknown as KnownDeal
}

/** Describes the deal, to help find the cause of a false claim. */
const described = (deal: KnownDeal) =>
  Object.entries(deal)
    .filter(
      ([field, value]) =>
        value !== null &&
        (field === 'stage' || ['time', 'flag'].includes(dealFields[field as DealField].kind)),
    )
    .map(([field, value]) => `${field} ${String(value).slice(0, 16)}`)
    .join(', ')

test('all statements about 10,000 incomplete deals are also true for the complete deals', () => {
  const found = new Map<string, string>()
  const tally = { total: 0, holds: 0, gates: 0 }
  const perDeal = Math.ceil(10_000 / wholes.length)
  for (const whole of wholes) {
    const claims = claimsOf(whole)
    for (let turn = 0; turn < perDeal; turn++) {
      const erased = erase(whole, random, {
        chance: 0.1 + 0.85 * random(),
        isStageErased: turn % 4 === 3,
      })
      const ofErased = claimsOf(erased)
      tally.total++
      if (ofErased.status.hold !== 'unknown') tally.holds++
      if (ofErased.status.gate !== 'unknown') tally.gates++
      for (const each of falsehoods(ofErased, claims))
        if (!found.has(each)) found.set(each, described(erased))
    }
  }
  expect([...found]).toEqual([])
  expect(tally.total).toBeGreaterThanOrEqual(10_000)
  // A portal that claims nothing would pass too. Most open deals in a process stage have a known blocker.
  expect(tally.holds).toBeGreaterThan(tally.total / 5)
  expect(tally.gates).toBeGreaterThanOrEqual(tally.holds)
})

test.each([
  ['Service', true],
  ['Customer Service', true],
  ['service tickets', true],
  ['Warranty & Repairs', true],
  ['O&M', true],
  ['Post-Install Service', true],
  ['Residential Solar', false],
  ['Service Upgrade', false],
  ['Full Service Solar', false],
  ['Tickets', false],
  ['', false],
  [null, false],
])('the pipeline %j is for service tickets: %s', (pipeline, isService) => {
  expect(isServiceTicket({ pipeline, stage: 'Scheduled' })).toBe(isService)
})

test.each([
  [null, 'Service Complete', true],
  ['', 'service requested', true],
  [null, 'Complete', false],
  [null, 'Service Upgrade', false],
  [null, null, false],
  ['Residential', 'Service Scheduled', false],
])('in the pipeline %j, the stage %j is for service tickets: %s', (pipeline, stage, isService) => {
  expect(isServiceTicket({ pipeline, stage })).toBe(isService)
})
