import { expect, test, describe } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import { blockerOf } from '#server/deals/milestones/money.ts'
import type { DealPayment } from '#server/deals/milestones/payment.ts'
import { timelineOf, type Step } from '#server/deals/milestones/timeline.ts'
import { waitsFor } from '#server/deals/milestones/waits-for.ts'
import { classifyStage } from '#server/stages/stage.ts'
import { utc } from '#server/values/zone.ts'
import { paymentText, usualText } from '../payment-text.ts'
import { dateLabel, gapText, nextDate, spanText, waitingText } from './timeline-text.ts'

const nowMs = Date.parse('2026-03-15T12:00:00.000Z')

test.each([
  // Yesterday on the calendar, and less than a day long.
  ['2026-03-14T21:00:00.000Z', 'for 15 hours', '15 hours so far', '15 hours ago'],
  ['2026-03-14T00:00:00.000Z', 'for 1 day', '1 day so far', '1 day ago'],
  ['2026-03-13T12:00:00.000Z', 'for 2 days', '2 days so far', '2 days ago'],
  // A day without a time.
  ['2026-03-15T00:00:00.000Z', 'since today', 'since today', 'today'],
])('what began at %s goes on %s, has %s, and began %s', (time, going, soFar, ago) => {
  expect(spanText(time, nowMs, formatIn(utc))).toEqual({ going, soFar, ago })
})

const blank = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
const at = (day: string, time = '00:00') => `2026-${day}T${time}:00.000Z`

const needy = { permitRequired: true, inspectionRequired: true }
const surveyed = {
  stage: 'CAD Design',
  createDate: at('01-05'),
  siteSurveyRequested: at('01-06'),
  siteSurveyCompleted: at('01-11'),
}
const designed = {
  ...surveyed,
  stage: 'Engineering',
  cadRequested: at('01-12'),
  cadCompleted: at('01-15'),
}
const engineered = {
  ...designed,
  stage: 'NTP Review',
  engineeringRequested: at('01-16'),
  engineeringCompleted: at('01-22'),
}
const approved = {
  ...engineered,
  stage: 'Permit Preparation',
  ntpRequested: at('01-25'),
  ntpApproved: at('02-01'),
}
const submitted = { ...approved, stage: 'Permit Submitted', permitSubmitted: at('02-05') }
const permitted = { ...submitted, stage: 'Install Scheduled', permitReceived: at('03-01') }
const installed = {
  ...permitted,
  stage: 'Inspection',
  installedScheduled: at('03-08', '15:00'),
  installComplete: at('03-09', '22:00'),
}

const funded = {
  ...installed,
  inspectionRequested: at('03-10'),
  fundingSubmitted: at('03-14'),
  m2Approved: true,
}

function waits(part: Partial<Deal>) {
  const deal = { ...blank, ...needy, ...part }
  const stage = classifyStage(deal.stage ?? '')
  const { kind } = stage
  const waiting = waitsFor(kind, timelineOf(deal, stage, nowMs, utc))
  const { hold: blocker = null } = blockerOf(deal, stage, nowMs) ?? {}
  const about = { stage: deal.stage, kind, blocker }
  return { text: waitingText(about, waiting, nowMs, formatIn(utc)), urgency: waiting.urgency }
}

test('returns null for an empty deal; a stage alone is enough', () => {
  expect(waits({}).text).toBe('Next step not known')
  expect(waits({ stage: 'Site Survey' }).text).toBe('Waiting for site survey')
})

describe('what a deal is waiting for', () => {
  test.each<[Partial<Deal>, string, string]>([
    [surveyed, 'Waiting for CAD design', 'waiting'],
    [{ ...surveyed, cadRequested: at('03-14') }, 'Waiting for CAD design · requested 1 day ago', 'waiting'],
    [{ ...surveyed, cadRequested: at('03-15') }, 'Waiting for CAD design · requested today', 'waiting'],
    [
      { ...surveyed, cadRequested: at('03-14', '21:00') },
      'Waiting for CAD design · requested 15 hours ago',
      'waiting',
    ],
    // The same words as on the card.
    [approved, 'Waiting for permit submission', 'waiting'],
    [{ ...installed, stage: 'Funding' }, 'Waiting for funding submission', 'waiting'],
    [submitted, 'Waiting for permit · submitted 38 days ago', 'waiting'],
    [
      { ...submitted, expectedPermitDeliveryDate: at('03-27') },
      'Waiting for permit · due Mar 27 (in 12 days)',
      'waiting',
    ],
    [
      { ...submitted, expectedPermitDeliveryDate: at('03-10') },
      'Waiting for permit · due Mar 10 · 5 days late',
      'late',
    ],
    [
      { ...permitted, installedScheduled: at('03-16', '15:00') },
      'Waiting for install · planned for Mar 16 (tomorrow)',
      'waiting',
    ],
    [
      { ...permitted, installedScheduled: at('03-15', '15:00') },
      'Waiting for install · planned for Mar 15 (today)',
      'waiting',
    ],
    [permitted, 'Waiting for install', 'waiting'],
    [
      { ...installed, inspectionRequested: at('03-10') },
      'Waiting for inspection · requested 5 days ago',
      'waiting',
    ],
    [
      {
        ...installed,
        inspectionRequested: at('03-10'),
        inspectionResults: 'Failed',
        reInspectionRequested: at('03-14'),
      },
      'Waiting for re-inspection · requested 1 day ago',
      'waiting',
    ],
    [{ ...funded, stage: 'Awaiting PTO', m2Approved: false }, 'Waiting for M2 approval', 'waiting'],
    [{ ...funded, stage: 'Awaiting PTO' }, 'Awaiting PTO', 'waiting'],
    [{ ...funded, stage: 'Final Paperwork' }, 'In stage Final Paperwork', 'waiting'],
    [{ ...funded, stage: 'On Hold' }, 'On hold', 'resting'],
    [{ ...funded, stage: 'Complete' }, 'Closed · Complete', 'over'],
    [{ ...funded, stage: 'Closed Won' }, 'Closed Won', 'over'],
    [{ ...funded, stage: null }, 'Next step not known', 'unknown'],
    [{ ...surveyed, stage: 'On Hold' }, 'On hold', 'resting'],
    [{ ...permitted, stage: 'Cancelled', installedScheduled: at('03-01') }, 'Closed · Cancelled', 'over'],
  ])('%j', (deal, text, urgency) => {
    expect(waits(deal)).toEqual({ text, urgency })
  })
})

test.each([
  [0, null, 'same day'],
  [2, null, '2 days later'],
  [1, 'CAD design', '1 day after CAD design'],
  [0, 'Notice to proceed', 'same day as notice to proceed'],
  [14, 'Created', '14 days after creation'],
])('describes %s days after %j as %j', (days, after, text) => {
  expect(gapText({ days, after })).toBe(text)
})

test('labels a future creation date as created, and a future install as to be completed', () => {
  const day = '2026-04-01T12:00:00.000Z'
  const empty = Object.fromEntries(Object.keys(dealFields).map((field) => [field, null]))
  const deal = { ...empty, createDate: day, installComplete: day } as unknown as Deal
  const steps = timelineOf(
    deal,
    { kind: 'open', place: 'install' },
    Date.parse('2026-03-01T12:00:00.000Z'),
    utc,
  )
  const labelOf = (name: string) => {
    const step = steps.find((each) => each.name === name)!
    return dateLabel(step.name, step.dates[0]!)
  }
  expect(labelOf('created')).toBe('Created date is in the future:')
  expect(labelOf('install')).toBe('To be completed')
})

const step = (label: string, state: Step['state'], plannedFor: string | null): Step => ({
  name: 'install',
  label,
  state,
  dates: [],
  lengthDays: null,
  gap: null,
  plannedFor,
  daysUntil: null,
  result: null,
  isAwaited: false,
})

describe('the next date of a deal', () => {
  test('returns the earliest planned date, regardless of step order', () => {
    const timeline = [
      step('Permit', 'done', '2026-03-01T00:00:00Z'),
      step('Re-install', 'planned', '2026-05-01T00:00:00Z'),
      step('Install', 'planned', '2026-04-08T00:00:00Z'),
    ]
    expect(nextDate(timeline)).toEqual({ label: 'Install planned', time: '2026-04-08T00:00:00Z' })
  })

  test('returns null if nothing is planned, or all planned steps are done or late', () => {
    expect(nextDate([step('Permit', 'late', '2026-03-01T00:00:00Z'), step('Install', 'toDo', null)])).toBe(
      null,
    )
    expect(nextDate([])).toBe(null)
  })
})

test('shows the median and the 80th percentile', () => {
  expect(usualText({ median: 6, slow: 9 })).toBe('Usually 6 days (8 in 10 within 9)')
  expect(usualText({ median: 1, slow: 1 })).toBe('Usually 1 day')
})

test('says when a deal is paid, or why nobody knows', () => {
  const text = (payment: DealPayment) =>
    paymentText(payment, Date.parse('2026-11-03T12:00:00Z'), formatIn(utc))
  const usual = { median: 22, slow: 31 }
  const expected = { kind: 'expected', from: '2026-11-25', to: '2026-11-25', isLate: false, usual } as const
  expect(text(expected)).toEqual({
    label: 'Expected payment',
    value: 'About Nov 25',
    hint: 'Usually 22 days after funding submission (8 in 10 within 31)',
  })
  expect(text({ ...expected, to: '2026-12-04', usual: null })).toMatchObject({ value: 'Nov 25 – Dec 4' })
  expect(text({ ...expected, isLate: true }).value).toBe('Later than usual')
  expect(text({ kind: 'paid', since: '2026-11-02T00:00:00.000Z' })).toEqual({
    label: 'Paid',
    value: 'Nov 2',
    hint: '',
  })
  expect(text({ kind: 'unknown', why: 'noDate', step: 'payment' }).value).toBe('No funding submission date')
  expect(text({ kind: 'unknown', why: 'tooFewDeals' }).value).toBe('Too few paid deals to tell')
})
