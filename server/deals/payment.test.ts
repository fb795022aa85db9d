import { expect, test } from 'vitest'
import { classifyStage } from '../stages/stage.ts'
import { utc } from '../values/zone.ts'
import { blockerOf } from './blocker.ts'
import { type KnownDeal, dealFields } from './deal.ts'
import { evidenceOf } from './evidence.ts'
import { type OngoingStep, flowSteps, stepNow } from './flow.ts'
import { type UsualSteps, expectedSteps, paymentOf } from './payment.ts'
import { type Step, timelineOf } from './timeline.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as KnownDeal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const today = '2026-03-15'
const durations = (usual: UsualSteps['payment']) =>
  Object.fromEntries(flowSteps.map((step) => [step, usual])) as unknown as UsualSteps
const usual = durations({ median: 10, slow: 20 })
const noUsual = durations(null)

function payment(stageName: string, fields: Partial<KnownDeal> = {}, ofSteps = usual) {
  const deal = { ...blank, stage: stageName, ...fields }
  const stage = classifyStage(stageName)
  const evidence = evidenceOf(deal, stage, nowMs)
  const timeline = timelineOf(deal, stage, nowMs, utc)
  const now = stepNow(deal, stage.kind, evidence, nowMs, utc)
  const expected = expectedSteps(now, ofSteps, timeline, today).payment
  return paymentOf(deal, stage, evidence, expected, { nowMs, today })
}

const submitted = (day: string) => ({ fundingSubmitted: `2026-03-${day}T00:00:00.000Z` })

test('a submitted deal is expected to be paid after the usual days, but not before today', () => {
  expect(payment('M2 Approval', submitted('10'))).toMatchObject({ from: '2026-03-20', to: '2026-03-30' })
  expect(payment('M2 Approval', submitted('01'))).toMatchObject({
    from: today,
    to: '2026-03-21',
    isLate: false,
    usual: { median: 10 },
  })
})

test('a payment is late after the time within which four of five deals are paid', () => {
  const fields = { fundingSubmitted: '2026-02-20T00:00:00.000Z' }
  expect(payment('M2 Approval', fields)).toMatchObject({ to: '2026-03-12', isLate: true })
})

test('the payment of a deal not yet submitted is expected after all earlier steps', () => {
  const installed = { installComplete: '2026-03-12T00:00:00.000Z' }
  expect(payment('Funding', installed)).toEqual({
    kind: 'expected',
    from: '2026-04-01',
    to: '2026-04-21',
    isLate: false,
    usual: null,
  })
})

test.each([
  ['On Hold', submitted('10'), usual, { why: 'onHold' }],
  ['In Progress', {}, usual, { why: 'stepNotKnown' }],
  ['M2 Approval', {}, usual, { why: 'noDate', step: 'payment' }],
  ['M2 Approval', submitted('10'), noUsual, { why: 'tooFewDeals' }],
] as const)('in the stage %s with %j, explains why no payment is expected', (stage, fields, ofSteps, gap) => {
  expect(payment(stage, fields, ofSteps)).toEqual({ kind: 'unknown', ...gap })
})

test('a deal in a won stage is paid, and a lost deal is never paid', () => {
  const since = { timeInCurrentStage: '2026-03-02T00:00:00.000Z' }
  expect(payment('Complete', since)).toEqual({ kind: 'paid', since: since.timeInCurrentStage })
  expect(payment('Cancelled', since)).toBeNull()
})

test('no payment is expected for a service ticket', () => {
  const fields = { ...submitted('10'), m2Approved: true, pipeline: 'Service' }
  expect(payment('Service Scheduled', fields)).toBeNull()
  expect(payment('Service Complete', fields)).toBeNull()
  const deal = { ...blank, ...fields, stage: 'Service Scheduled' }
  const steps = timelineOf(deal, classifyStage('Service Scheduled'), nowMs, utc)
  expect(steps.map(({ name }) => name)).not.toContain('payment')
  expect(steps.filter(({ isAwaited }) => isAwaited)).toMatchObject([{ label: 'Service Scheduled' }])
})

test('a deal that awaits PTO is with its interconnection coordinator, if it has one', () => {
  const coordinator = {
    firstName: 'Ivy',
    lastName: 'Cole',
    email: 'ivy@sunward.example',
    phone: null,
    id: null,
  }
  const holderIn = (stage: string, fields: Partial<KnownDeal>) =>
    blockerOf({ ...blank, stage, ...fields }, classifyStage(stage), nowMs)
  const ixCoordinator = coordinator as unknown as KnownDeal['ixCoordinator']
  expect(holderIn('Awaiting PTO', { ixCoordinator })).toMatchObject({
    holder: 'ixCoordinator',
    name: 'Ivy Cole',
  })
  expect(holderIn('Awaiting PTO', { m2Approved: true })).toMatchObject({ holder: 'owner' })
  expect(holderIn('M2 Approval', { ixCoordinator })).toMatchObject({ holder: 'lender' })
})

const stepDays = {
  ...Object.fromEntries(flowSteps.map((step) => [step, null])),
  ntp: { median: 7, slow: 14 },
  permitSubmission: { median: 4, slow: 8 },
  permit: { median: 15, slow: 35 },
  install: { median: 21, slow: 29 },
} as UsualSteps
const timeline = (state: Step['state']) => [{ name: 'permit', state }] as Step[]
const since = '2026-02-01T00:00:00.000Z'
const daysOf = (now: Omit<OngoingStep, 'since'> | null, state: Step['state'] = 'next') =>
  Object.entries(expectedSteps(now && { ...now, since }, stepDays, timeline(state), '2026-03-01')).map(
    ([name, { from, to, isPast, isSlow }]) =>
      `${name} ${from} ${to}${isPast ? ' past' : ''}${isSlow ? ' slow' : ''}`,
  )

test('expects later steps in sequence, until a step with an unknown duration', () => {
  expect(daysOf({ step: 'ntp', days: 3 })).toEqual([
    'ntp 2026-03-05 2026-03-12',
    'permit 2026-03-24 2026-04-24',
    'install 2026-04-14 2026-05-23',
  ])
  expect(daysOf({ step: 'funding', days: 3 })).toEqual([])
  expect(daysOf(null)).toEqual([])
})

test('a permit that is not required takes no time', () => {
  expect(daysOf({ step: 'ntp', days: 0 }, 'notRequired')).toEqual([
    'ntp 2026-03-08 2026-03-15',
    'install 2026-03-29 2026-04-13',
  ])
})

test('an overdue step delays the rest until today', () => {
  expect(daysOf({ step: 'permit', days: 20 })).toEqual([
    'permit 2026-02-24 2026-03-16',
    'install 2026-03-22 2026-04-14',
  ])
  expect(daysOf({ step: 'permit', days: 36 })).toEqual([
    'permit 2026-02-08 2026-02-28 past slow',
    'install 2026-03-22 2026-03-30',
  ])
})

test('a future step is neither in progress nor slow', () => {
  const now = { step: 'permit', since, days: 36 } as const
  const of = (state: Step['state']) => expectedSteps(now, stepDays, timeline(state), '2026-03-01').permit
  expect(of('running')).toMatchObject({ since, isSlow: true })
  expect(of('toDo')).toMatchObject({ since: null, isSlow: false })
})
