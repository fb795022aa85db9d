import { expect, test } from 'vitest'
import { utc } from '../../protocol/zone.ts'
import { classifyStage } from '../../stages/stage.ts'
import { type Deal, dealFields } from '../deal.ts'
import { nearestMilestone } from './nearest.ts'

const blank = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const at = (day: string, time = '00:00') => `2026-${day}T${time}:00.000Z`
const nearest = (deal: Partial<Deal>, stage = 'Permit Submitted') =>
  nearestMilestone({ ...blank, stage, permitRequired: true, ...deal }, classifyStage(stage), nowMs, utc)

test('a planned step comes before completed ones', () => {
  const deal = {
    permitSubmitted: at('03-01'),
    expectedPermitDeliveryDate: at('03-20'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(nearest(deal)).toEqual({ kind: 'ahead', label: 'Permit expected', time: at('03-20'), daysLate: 0 })
})

test('late steps come before planned ones, the latest first', () => {
  const deal = {
    permitSubmitted: at('03-01'),
    expectedPermitDeliveryDate: at('03-12'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(nearest(deal)).toEqual({ kind: 'late', label: 'Permit', time: at('03-12'), daysLate: 3 })
  expect(nearest({ ...deal, installedScheduled: at('03-05') })).toMatchObject({
    label: 'Install',
    daysLate: 10,
  })
  // On hold it is not known whether the permit has been received.
  expect(nearest(deal, 'On Hold')).toMatchObject({ kind: 'done', label: 'Permit submitted' })
})

test('a step planned for today is not late', () => {
  expect(nearest({ installedScheduled: at('03-15', '08:00') })).toMatchObject({
    kind: 'ahead',
    label: 'Install',
  })
})

test('a permit that came early is not expected any more', () => {
  const deal = {
    permitReceived: at('03-10'),
    expectedPermitDeliveryDate: at('03-20'),
    installedScheduled: at('04-08', '15:00'),
  }
  expect(nearest(deal)).toMatchObject({ label: 'Install', kind: 'ahead' })
})

test('nothing is late or expected of a closed deal, or of a step that others have passed', () => {
  const deal = { permitSubmitted: at('03-01'), expectedPermitDeliveryDate: at('03-12') }
  for (const stage of ['Cancelled', 'Complete']) {
    expect(nearest(deal, stage)).toMatchObject({ kind: 'done', label: 'Permit submitted' })
    expect(nearest({ installedScheduled: at('04-08') }, stage)).toBeNull()
  }
  expect(nearest({ ...deal, installComplete: at('03-14') })).toMatchObject({
    kind: 'done',
    label: 'Installed',
  })
})

test('a date in the future that is no plan by itself is called by its step', () => {
  expect(nearest({ cadCompleted: at('03-20') }, 'CAD Design')).toMatchObject({
    kind: 'ahead',
    label: 'CAD design',
  })
})

test('without plans, what happened last', () => {
  const deal = {
    createDate: at('01-01'),
    ntpApproved: at('02-06', '17:45'),
    cadCompleted: at('01-22', '18:40'),
  }
  expect(nearest(deal)).toEqual({
    kind: 'done',
    label: 'NTP approved',
    time: at('02-06', '17:45'),
    daysLate: 0,
  })
})

test('nothing of a deal without data', () => {
  expect(nearest({})).toBeNull()
})
