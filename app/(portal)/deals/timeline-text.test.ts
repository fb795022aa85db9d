import { expect, test, describe } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { blockerOf } from '#server/deals/blocker.ts'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import { waitsFor } from '#server/deals/next-step.ts'
import { timelineOf, type Step } from '#server/deals/timeline.ts'
import { classifyStage } from '#server/stages/stage.ts'
import { utc } from '#server/values/zone.ts'
import { dateLabel, gapText, nextDate, spanText, waitingText } from './timeline-text.ts'

const nowMs = Date.parse('2026-03-15T12:00:00.000Z')

test.each([
  // Less than a day ago, although on the previous calendar day.
  ['2026-03-14T21:00:00.000Z', 'for 15 hours', '15 hours so far', '15 hours ago'],
  ['2026-03-14T00:00:00.000Z', 'for 1 day', '1 day so far', '1 day ago'],
  ['2026-03-13T12:00:00.000Z', 'for 2 days', '2 days so far', '2 days ago'],
  ['2026-03-15T00:00:00.000Z', 'since today', 'since today', 'today'],
])(
  'a step begun at %s is labeled "%s" while running, "%s" so far, and "%s" as a start',
  (time, going, soFar, ago) => {
    expect(spanText(time, nowMs, formatIn(utc))).toEqual({ going, soFar, ago })
  },
)

const blank = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
const at = (day: string, time = '00:00') => `2026-${day}T${time}:00.000Z`

const needy = { permitRequired: true, inspectionRequired: true }
const surveyed = { stage: 'CAD Design', createDate: at('01-05'), siteSurveyCompleted: at('01-11') }
const approved = {
  ...surveyed,
  stage: 'Permit Preparation',
  cadCompleted: at('01-15'),
  engineeringCompleted: at('01-22'),
  ntpApproved: at('02-01'),
}
const submitted = { ...approved, stage: 'Permit Submitted', permitSubmitted: at('02-05') }
const permitted = { ...submitted, stage: 'Install Scheduled', permitReceived: at('03-01') }
const installed = { ...permitted, stage: 'Inspection', installComplete: at('03-09', '22:00') }
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

describe("the next step shown on a deal's page", () => {
  test.each<[Partial<Deal>, string, string]>([
    [{}, 'Next step not known', 'unknown'],
    [{ stage: 'Site Survey' }, 'Waiting for site survey', 'waiting'],
    [surveyed, 'Waiting for CAD design', 'waiting'],
    [{ ...surveyed, cadRequested: at('03-14') }, 'Waiting for CAD design · requested 1 day ago', 'waiting'],
    // The cards use the same words.
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
  ])('describes the next step of %j', (deal, text, urgency) => {
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

test('labels a future creation date as created, and a future installation date as planned', () => {
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

test('the next date is the earliest planned date, whatever the order of the steps', () => {
  const step = (label: string, state: Step['state'], plannedFor: string | null) =>
    ({ label, state, plannedFor }) as Step
  const late = step('Permit', 'late', '2026-03-01T00:00:00Z')
  const timeline = [
    late,
    step('Re-install', 'planned', '2026-05-01T00:00:00Z'),
    step('Install', 'planned', '2026-04-08T00:00:00Z'),
  ]
  expect(nextDate(timeline)).toEqual({ label: 'Install planned', time: '2026-04-08T00:00:00Z' })
  expect(nextDate([late, step('Install', 'toDo', null)])).toBe(null)
})
