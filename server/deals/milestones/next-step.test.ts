import { expect, test } from 'vitest'
import { classifyStage } from '../../stages/stage.ts'
import { utc } from '../../values/zone.ts'
import { type Deal, dealFields } from '../deal.ts'
import { nextStepOf } from './next-step.ts'

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
