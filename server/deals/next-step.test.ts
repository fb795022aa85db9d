import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { classifyStage, isMoving } from '../stages/stage.ts'
import { utc } from '../values/zone.ts'
import { type Deal, dealFields } from './deal.ts'
import { nextStepOf, waitsFor } from './next-step.ts'
import { timelineOf } from './timeline.ts'

const blank = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const at = (day: string, time = '00:00') => `2026-${day}T${time}:00.000Z`
const next = (deal: Partial<Deal>, stage = 'Permit Submitted') =>
  nextStepOf({ ...blank, stage, permitRequired: true, ...deal }, classifyStage(stage), nowMs, utc)

test('is the awaited step with its day', () => {
  const deal = {
    permitSubmitted: at('03-01'),
    expectedPermitDeliveryDate: at('03-20'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(next(deal)).toEqual({ kind: 'planned', label: 'Permit expected', time: at('03-20'), daysUntil: 5 })
})

test('shows late steps first, most overdue first', () => {
  const deal = {
    permitSubmitted: at('03-01'),
    expectedPermitDeliveryDate: at('03-12'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(next(deal)).toEqual({ kind: 'late', label: 'Permit', time: at('03-12'), daysUntil: -3 })
  expect(next({ ...deal, installedScheduled: at('03-05') })).toMatchObject({
    label: 'Install',
    daysUntil: -10,
  })
})

test('a step planned for today is not late', () => {
  expect(next({ installedScheduled: at('03-15', '08:00') }, 'Install Scheduled')).toMatchObject({
    kind: 'planned',
    label: 'Install scheduled',
    daysUntil: 0,
  })
})

test('does not expect a permit that came early', () => {
  const deal = {
    permitReceived: at('03-10'),
    expectedPermitDeliveryDate: at('03-20'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(next(deal)).toMatchObject({ label: 'Install scheduled', kind: 'planned' })
})

test('shows the awaited step without a date before a later step with a date', () => {
  const deal = { ntpRequested: at('03-01'), installedScheduled: at('04-08') }
  expect(next(deal, 'NTP Review')).toEqual({ kind: 'open', label: 'Notice to proceed' })
  expect(next({ installedScheduled: at('04-08') }, 'Permit Preparation')).toEqual({
    kind: 'open',
    label: 'Permit submission',
  })
})

test('shows a repair or redesign with a date before the step that waits for it', () => {
  const failed = {
    installComplete: at('03-01'),
    inspectionRequested: at('03-02'),
    inspectionResults: 'Failed',
    reInspectionRequested: at('03-14'),
  }
  expect(next(failed, 'Inspection')).toEqual({ kind: 'open', label: 'Re-inspection' })
  expect(next({ ...failed, reInstallScheduled: at('03-18') }, 'Inspection')).toMatchObject({
    kind: 'planned',
    label: 'Re-install scheduled',
  })
})

test('is the awaited step, not simply the step after the latest event', () => {
  const deal = { createDate: at('01-01'), ntpApproved: at('02-06', '17:45') }
  expect(next(deal, '')).toEqual({ kind: 'unknown' })
  expect(next(deal, 'Permit Submitted')).toEqual({ kind: 'open', label: 'Permit' })
})

test('is the payment if everything else is done', () => {
  const deal = { fundingSubmitted: at('03-01'), m2Approved: true }
  expect(next(deal, 'Awaiting PTO')).toEqual({ kind: 'open', label: 'Payment' })
})

test('is null for a closed deal, and unknown on hold', () => {
  const deal = { permitSubmitted: at('03-01'), expectedPermitDeliveryDate: at('03-12') }
  for (const stage of ['Cancelled', 'Complete']) {
    expect(next(deal, stage)).toBeNull()
    expect(next({ reInstallScheduled: at('04-08') }, stage)).toBeNull()
  }
  expect(next(deal, 'On Hold')).toEqual({ kind: 'unknown' })
  expect(next({}, '')).toEqual({ kind: 'unknown' })
})

test('labels a planned date with the name of its step', () => {
  expect(next({ cadCompleted: at('03-20') }, 'CAD Design')).toMatchObject({
    kind: 'planned',
    label: 'CAD design',
  })
})

const now = new Date('2026-03-15T12:00:00.000Z')
const deals = demoPartners.flatMap((partner) => [
  ...demoDeals({ partner, count: 400, firstId: partner.firstId, now }),
])
const claims = deals.map((deal) => {
  const stage = classifyStage(deal.stage ?? '')
  const timeline = timelineOf(deal, stage, now.getTime(), utc)
  return {
    deal,
    kind: stage.kind,
    timeline,
    waiting: waitsFor(stage.kind, timeline),
    next: nextStepOf(deal, stage, now.getTime(), utc),
  }
})

describe('each demo deal', () => {
  test('waits for a step exactly if its stage is open', () => {
    expect(claims.filter(({ kind, waiting }) => isMoving(kind) !== waiting.steps.length > 0)).toEqual([])
  })

  test('in the stage Awaiting PTO waits for M2 until approved, and then for the stage itself', () => {
    const awaiting = claims.filter(({ deal }) => deal.stage === 'Awaiting PTO')
    expect(new Set(awaiting.map(({ deal }) => deal.m2Approved))).toEqual(new Set([true, false]))
    for (const { deal, waiting } of awaiting)
      expect(waiting.steps.map(({ label }) => label)).toEqual([
        deal.m2Approved ? 'Awaiting PTO' : 'M2 approval',
      ])
  })

  test('is late in lists exactly if it is late on its page, and for one of the same steps', () => {
    expect(claims.some(({ next }) => next?.kind === 'late')).toBe(true)
    for (const { deal, timeline, next, waiting, kind } of claims) {
      const late = timeline.filter(({ state }) => state === 'late')
      expect(next?.kind === 'late', String(deal.id)).toBe(late.length > 0)
      if (next?.kind === 'late')
        expect(late.map(({ label, daysUntil }) => `${label} ${-daysUntil!}`)).toContain(
          `${next.label} ${-next.daysUntil}`,
        )
      if (isMoving(kind)) expect(waiting.urgency === 'late').toBe(late.length > 0)
    }
  })
})
