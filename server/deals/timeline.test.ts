import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { classifyStage } from '../stages/stage.ts'
import { utc } from '../values/zone.ts'
import { type Deal, type KnownDeal, dealFields } from './deal.ts'
import { type StepState, countSteps, timelineOf } from './timeline.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as KnownDeal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
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

const steps = (deal: Partial<Deal>) =>
  timelineOf({ ...blank, ...needy, ...deal }, classifyStage(deal.stage ?? ''), nowMs, utc)
const step = (deal: Partial<Deal>, name: string) => steps(deal).find((each) => each.name === name)
const states = (deal: Partial<Deal>) =>
  Object.fromEntries(steps(deal).map(({ name, state }) => [name, state]))

describe('the timeline', () => {
  test('shows past, next and later steps even for a deal with only a stage', () => {
    expect(states({ stage: 'Engineering' })).toEqual({
      created: 'done',
      survey: 'done',
      cad: 'done',
      engineering: 'next',
      ntp: 'toDo',
      permit: 'toDo',
      install: 'toDo',
      inspection: 'toDo',
      funding: 'toDo',
      m2: 'toDo',
      payment: 'toDo',
    })
  })

  test('shows the days between steps and of each step', () => {
    expect(step(installed, 'survey')).toMatchObject({
      state: 'done',
      lengthDays: 5,
      gap: { days: 1, after: null },
    })
    expect(step(installed, 'permit')).toMatchObject({ lengthDays: 24, gap: { days: 4, after: null } })
    expect(step(installed, 'install')).toMatchObject({ lengthDays: 1, gap: { days: 7, after: null } })
    expect(step(installed, 'created')).toMatchObject({ lengthDays: null, gap: null })
    expect(step(installed, 'survey')!.dates).toEqual([
      { label: 'Requested', time: at('01-06'), isPlan: false },
      { label: 'Completed', time: at('01-11'), isPlan: false },
    ])
  })

  test('shows no duration or gap if the first date is missing', () => {
    expect(step({ ...installed, siteSurveyRequested: null }, 'survey')).toMatchObject({
      state: 'done',
      lengthDays: null,
      gap: null,
    })
  })

  test('counts the duration of a running step until now', () => {
    expect(step({ ...submitted, permitSubmitted: at('03-05') }, 'permit')).toMatchObject({
      state: 'running',
      lengthDays: 10,
    })
  })

  test('shows a redesign and a new contract if there were any', () => {
    const redesigned = { ...designed, redesignCompleteDate: at('01-18'), reSignDate: at('01-20') }
    expect(states(redesigned)).toMatchObject({ redesign: 'done', reSign: 'done' })
    expect(step(redesigned, 'redesign')!.gap).toEqual({ days: 3, after: null })
    expect(states({ ...designed, redesignCompleteDate: at('04-01') })).toMatchObject({ redesign: 'planned' })
  })
})

describe('a step in the timeline', () => {
  test('is planned, not done, if its date is in the future', () => {
    expect(step({ ...surveyed, cadRequested: at('01-12'), cadCompleted: at('04-01') }, 'cad')).toMatchObject({
      state: 'running',
      plannedFor: at('04-01'),
      dates: [{ isPlan: false }, { isPlan: true }],
    })
    expect(step({ stage: 'Site Survey', siteSurveyRequested: at('04-01') }, 'survey')).toMatchObject({
      state: 'planned',
      lengthDays: null,
      gap: null,
    })
  })

  test('has no negative days if it is out of order', () => {
    const mixed = {
      ...designed,
      siteSurveyRequested: at('01-12'),
      siteSurveyCompleted: at('01-10'),
      cadRequested: at('01-07'),
    }
    expect(step(mixed, 'survey')).toMatchObject({ state: 'done', lengthDays: null })
    expect(step(mixed, 'cad')).toMatchObject({ gap: { days: 2, after: 'Created' } })
    expect(steps(mixed).every(({ gap, lengthDays }) => (gap?.days ?? 0) >= 0 && (lengthDays ?? 0) >= 0)).toBe(
      true,
    )
  })

  test('is late once its planned day is over, and not earlier', () => {
    const stateOf = (deal: Partial<Deal>, name: string) => step(deal, name)!.state
    expect(stateOf({ ...permitted, installedScheduled: at('03-14', '15:00') }, 'install')).toBe('late')
    expect(stateOf({ ...permitted, installedScheduled: at('03-15', '09:00') }, 'install')).toBe('planned')
    expect(stateOf({ ...permitted, installedScheduled: at('03-16') }, 'install')).toBe('planned')
    expect(stateOf({ ...submitted, expectedPermitDeliveryDate: at('03-10') }, 'permit')).toBe('late')
    expect(stateOf({ ...permitted, expectedPermitDeliveryDate: at('02-20') }, 'permit')).toBe('done')
    // If the stage lags behind or is unknown, the install may be complete.
    expect(stateOf({ ...installed, installComplete: null }, 'install')).toBe('done')
    expect(stateOf({ stage: 'In Progress', installedScheduled: at('03-14') }, 'install')).toBe('unknown')
  })
})

const unknown = { permitRequired: null, inspectionRequired: null } as unknown as Partial<Deal>
const bare = { ...approved, permitRequired: false, inspectionRequired: false, stage: 'Install Scheduled' }
const failed = { ...installed, inspectionRequested: at('03-10'), inspectionResults: 'Failed: labels' }
const repaired = { ...failed, reInstallScheduled: at('03-18'), reInspectionRequested: at('03-13') }
const funding = { ...installed, stage: 'Awaiting PTO', fundingSubmitted: at('03-12') }

test.each<[string, Partial<Deal>, Record<string, StepState>]>([
  [
    'shows only past events without a stage',
    { cadCompleted: at('01-15'), engineeringRequested: at('01-16') },
    { survey: 'done', cad: 'done', engineering: 'unknown', ntp: 'unknown', install: 'unknown' },
  ],
  [
    'implies the steps before a completed one',
    { engineeringCompleted: at('01-16') },
    { survey: 'done', cad: 'done' },
  ],
  [
    'implies the steps before a completed one, whatever the stage',
    { ...surveyed, permitReceived: at('03-01') },
    { cad: 'done', ntp: 'done', install: 'next' },
  ],
  [
    'moves on if the stage implies a missing date',
    { ...engineered, cadCompleted: null, stage: 'CAD Design' },
    { ntp: 'next' },
  ],
  ['shows parallel work', { ...surveyed, ntpRequested: at('01-25') }, { cad: 'next', ntp: 'running' }],
  [
    'skips a permit that is not required',
    bare,
    { permit: 'notRequired', install: 'next', inspection: 'notRequired' },
  ],
  [
    'shows a permit that was submitted although not required',
    { ...permitted, permitRequired: false },
    { permit: 'done' },
  ],
  [
    'leaves a permit open if its requirement is unknown',
    { stage: 'CAD Design', ...unknown },
    { permit: 'unknown', inspection: 'unknown' },
  ],
  [
    'leaves a permit open before the install',
    { stage: 'Install Scheduled', ...unknown },
    { permit: 'unknown' },
  ],
  [
    'leaves a permit open after the install',
    { stage: 'Complete', ...unknown },
    { permit: 'unknown', install: 'done' },
  ],
  ['shows a permit if the stage names it', { stage: 'Permit Submitted', ...unknown }, { permit: 'next' }],
  [
    'does not wait for the HOA in other stages',
    { ...permitted, hasHoa: true },
    { hoa: 'unknown', install: 'next' },
  ],
  ['waits for the HOA in the HOA stage', { ...engineered, stage: 'HOA Approval' }, { hoa: 'next' }],
  ['implies the HOA approval once installed', { ...installed, hasHoa: true }, { hoa: 'done' }],
  [
    'implies the inspection once funding is submitted',
    { ...installed, inspectionRequested: at('03-10'), fundingSubmitted: at('03-12') },
    { inspection: 'done', funding: 'done' },
  ],
  ['keeps a failed inspection running', failed, { inspection: 'running', funding: 'toDo' }],
  [
    'repeats a failed inspection',
    repaired,
    { inspection: 'running', reInstall: 'planned', reInspection: 'running' },
  ],
  [
    'stops a repeated inspection when the deal is cancelled',
    { ...repaired, stage: 'Cancelled' },
    { reInspection: 'unknown' },
  ],
  [
    'ends the inspection once the re-inspection has passed',
    { ...repaired, reInspectionResults: 'Passed' },
    { inspection: 'done', reInspection: 'done', funding: 'next' },
  ],
  ['ends with M2, according to its flag', { ...funding, m2Approved: false }, { funding: 'done', m2: 'next' }],
  ['shows M2 as done once approved', { ...funding, m2Approved: true }, { funding: 'done', m2: 'done' }],
  ['leaves M2 open without its flag', funding, { funding: 'done', m2: 'unknown' }],
  [
    'implies funding once M2 is approved',
    { ...installed, m2Approved: true },
    { funding: 'done', m2: 'done' },
  ],
  [
    'has no late or next step on hold',
    { ...permitted, stage: 'On Hold', installedScheduled: at('03-01') },
    { permit: 'done', install: 'unknown' },
  ],
])('the timeline %s', (_, deal, expected) => expect(states(deal)).toMatchObject(expected))

test('shows the HOA approval only if the deal has an HOA', () => {
  expect(step(approved, 'hoa')).toBeUndefined()
  expect(step({ ...approved, hoaApprovedDate: at('02-03') }, 'hoa')).toMatchObject({
    state: 'done',
    gap: { days: 2, after: null },
  })
})

describe('the timeline after the install', () => {
  test('shows an inspection as done once it has passed', () => {
    const inspected = { ...installed, inspectionRequested: at('03-10') }
    expect(step(inspected, 'inspection')).toMatchObject({ state: 'running', result: null })
    expect(step({ ...inspected, inspectionResults: 'Passed' }, 'inspection')).toMatchObject({
      state: 'done',
      result: 'Passed',
    })
  })

  test('shows a re-install planned before the inspection ahead of it', () => {
    const order = (deal: Partial<Deal>) =>
      steps(deal)
        .map(({ name }) => name)
        .slice(-6, -2)
    expect(
      order({ ...installed, reInstallScheduled: at('03-18'), inspectionRequested: at('03-20') }),
    ).toEqual(['install', 'reInstall', 'inspection', 'funding'])
    expect(order({ ...installed, reInstallScheduled: at('03-18') })).toEqual([
      'install',
      'reInstall',
      'inspection',
      'funding',
    ])
  })

  test('a flag replaces a missing date', () => {
    expect(step({ ...permitted, installCompleted: true }, 'install')).toMatchObject({
      state: 'done',
      dates: [],
      lengthDays: null,
    })
  })
})

test('a cancelled deal has no late or remaining steps', () => {
  const cancelled = Object.values(
    states({ ...permitted, stage: 'Cancelled', installedScheduled: at('03-01') }),
  )
  for (const state of ['late', 'toDo', 'next', 'planned']) expect(cancelled).not.toContain(state)
  const repair = { ...installed, stage: 'Cancelled', reInstallScheduled: at('04-01') }
  expect(step(repair, 'reInstall')).toMatchObject({ state: 'unknown', plannedFor: null, daysUntil: null })
})

test('the steps of each demo deal are in order: done, then in progress, then to do', () => {
  const now = new Date('2026-03-15T12:00:00.000Z')
  for (const deal of demoDeals({ partner: demoPartners[0]!, count: 300, firstId: 1n, now })) {
    const timeline = timelineOf(deal, classifyStage(deal.stage ?? ''), now.getTime(), utc).filter(
      ({ name }) => name !== 'hoa',
    )
    const rankOf: Record<string, number> = { done: 0, toDo: 2, unknown: 2 }
    const ranks = timeline
      .filter(({ state, name }) => state !== 'notRequired' && !name.startsWith('re'))
      .map(({ state }) => rankOf[state] ?? 1)
    expect(ranks, `${deal.id} ${deal.stage}`).toEqual(ranks.toSorted((a, b) => a - b))
    expect(timeline.filter(({ isAwaited }) => isAwaited).length).toBeLessThanOrEqual(1)
  }
})

test('an open deal awaiting payment has its stage and the payment left', () => {
  const paid = {
    ...installed,
    inspectionRequested: at('03-10'),
    fundingSubmitted: at('03-12'),
    m2Approved: true,
  }
  const awaiting = { ...paid, stage: 'Awaiting PTO', timeInCurrentStage: at('03-13') }
  expect(steps(awaiting).at(-1)).toMatchObject({ name: 'payment', state: 'next', isAwaited: false })
  expect(steps(awaiting).at(-2)).toMatchObject({
    name: 'stage',
    label: 'Awaiting PTO',
    state: 'running',
    lengthDays: 2,
    isAwaited: true,
  })
  expect(countSteps(steps(awaiting))).toEqual({ done: 9, needed: 10, unknown: 0 })
  for (const stage of ['Complete', 'On Hold', null])
    expect(steps({ ...paid, stage }).some(({ name }) => name === 'stage')).toBe(false)
})

test('counts the steps that are done, needed and unknown', () => {
  expect(countSteps(steps({ stage: 'NTP Review' }))).toEqual({ done: 3, needed: 10, unknown: 0 })
  expect(
    countSteps(steps({ stage: 'NTP Review', permitRequired: null as never, inspectionRequired: false })),
  ).toEqual({ done: 3, needed: 9, unknown: 1 })
})
