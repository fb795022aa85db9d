import { expect, test } from 'vitest'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import { nearestMilestone } from './nearest.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as Deal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')

test('what is planned soonest comes first', () => {
  const deal = {
    ...blank,
    permitSubmitted: '2026-03-01T00:00:00.000Z',
    expectedPermitDeliveryDate: '2026-03-20T00:00:00.000Z',
    installedScheduled: '2026-04-08T15:00:00.000Z',
  }
  expect(nearestMilestone(deal, nowMs)).toEqual({
    label: 'Permit expected',
    time: '2026-03-20T00:00:00.000Z',
    isAhead: true,
  })
})

test('a permit that came early is not expected any more', () => {
  const deal = {
    ...blank,
    permitReceived: '2026-03-10T00:00:00.000Z',
    expectedPermitDeliveryDate: '2026-03-20T00:00:00.000Z',
    installedScheduled: '2026-04-08T15:00:00.000Z',
  }
  expect(nearestMilestone(deal, nowMs)).toMatchObject({ label: 'Install', isAhead: true })
})

test('without plans, what happened last', () => {
  const deal = {
    ...blank,
    createDate: '2026-01-01T00:00:00.000Z',
    ntpApproved: '2026-02-06T17:45:00.000Z',
    cadCompleted: '2026-01-22T18:40:00.000Z',
  }
  expect(nearestMilestone(deal, nowMs)).toEqual({
    label: 'NTP approved',
    time: '2026-02-06T17:45:00.000Z',
    isAhead: false,
  })
})

test('nothing when nothing is known', () => {
  expect(nearestMilestone(blank, nowMs)).toBeNull()
})
