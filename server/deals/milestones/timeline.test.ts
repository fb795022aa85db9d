import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { utc } from '#server/protocol/zone.ts'
import { classifyStage } from '../../stages/stage.ts'
import { type Deal, dealFields } from '../deal.ts'
import { countSteps, timelineOf } from './timeline.ts'

const blank = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
) as unknown as Deal
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const at = (day: string, time = '00:00') => `2026-${day}T${time}:00.000Z`

const needy = { permitRequired: true, inspectionRequired: true }
const surveyed = {
  createDate: at('01-05'),
  siteSurveyRequested: at('01-06'),
  siteSurveyCompleted: at('01-11'),
}
const designed = { ...surveyed, cadRequested: at('01-12'), cadCompleted: at('01-15') }
const engineered = { ...designed, engineeringRequested: at('01-16'), engineeringCompleted: at('01-22') }
const approved = { ...engineered, ntpRequested: at('01-25'), ntpApproved: at('02-01') }
const permitted = { ...approved, permitSubmitted: at('02-05'), permitReceived: at('03-01') }
const installed = {
  ...permitted,
  installedScheduled: at('03-08', '15:00'),
  installComplete: at('03-09', '22:00'),
}

const steps = (deal: Partial<Deal>) =>
  timelineOf({ ...blank, ...needy, ...deal }, classifyStage(deal.stage ?? '').kind, nowMs, utc)
const step = (deal: Partial<Deal>, name: string) => steps(deal).find((each) => each.name === name)
const states = (deal: Partial<Deal>) =>
  Object.fromEntries(steps(deal).map(({ name, state }) => [name, state]))

describe('the course', () => {
  test('of a deal without data begins with the survey', () => {
    expect(steps({}).map(({ name }) => name)).toEqual([
      'created',
      'survey',
      'cad',
      'engineering',
      'ntp',
      'permit',
      'install',
      'inspection',
      'funding',
      'm2',
    ])
    expect(states({})).toMatchObject({ created: 'done', survey: 'next', cad: 'ahead', funding: 'ahead' })
  })

  test('has the days between the steps and of each', () => {
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

  test('counts what goes on until now', () => {
    expect(step({ ...approved, permitSubmitted: at('03-05') }, 'permit')).toMatchObject({
      state: 'running',
      lengthDays: 10,
    })
  })

  test('has a redesign and a new contract where there were some', () => {
    expect(
      steps({ ...designed, redesignCompleteDate: at('01-18'), reSignDate: at('01-20') }).map(
        ({ name }) => name,
      ),
    ).toEqual(expect.arrayContaining(['redesign', 'reSign']))
    expect(step({ ...designed, redesignCompleteDate: at('01-18') }, 'redesign')).toMatchObject({
      state: 'done',
      gap: { days: 3, after: null },
    })
  })
})

describe('a step', () => {
  test('without a date is passed when a later one has begun', () => {
    expect(states({ createDate: at('01-05'), engineeringRequested: at('01-16') })).toMatchObject({
      survey: 'passed',
      cad: 'passed',
      engineering: 'running',
      ntp: 'ahead',
    })
    expect(step({ createDate: at('01-05'), engineeringRequested: at('01-16') }, 'engineering')!.gap).toEqual({
      days: 11,
      after: 'Created',
    })
  })

  test('that has begun goes on until a later one is done', () => {
    const running = { ...engineered, ntpRequested: at('01-25'), permitSubmitted: at('02-05') }
    expect(states(running)).toMatchObject({ ntp: 'running', permit: 'running' })
    expect(states({ ...running, permitReceived: at('03-01') })).toMatchObject({
      ntp: 'passed',
      permit: 'done',
    })
  })

  test('dated in the future is planned, not done', () => {
    expect(step({ ...surveyed, cadRequested: at('01-12'), cadCompleted: at('04-01') }, 'cad')).toMatchObject({
      state: 'running',
      plannedFor: at('04-01'),
      dates: [{ isPlan: false }, { isPlan: true }],
    })
    expect(step({ createDate: at('01-05'), siteSurveyRequested: at('04-01') }, 'survey')).toMatchObject({
      state: 'planned',
      lengthDays: null,
      gap: null,
    })
  })

  test('out of order has no negative days', () => {
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

  test('is late when the day for which it was planned is over, and not before', () => {
    expect(step({ ...permitted, installedScheduled: at('03-14', '15:00') }, 'install')!.state).toBe('late')
    expect(step({ ...permitted, installedScheduled: at('03-15', '09:00') }, 'install')!.state).toBe('planned')
    expect(step({ ...permitted, installedScheduled: at('03-16') }, 'install')!.state).toBe('planned')
    expect(
      step({ ...approved, permitSubmitted: at('02-05'), expectedPermitDeliveryDate: at('03-10') }, 'permit')!
        .state,
    ).toBe('late')
    expect(step({ ...permitted, expectedPermitDeliveryDate: at('02-20') }, 'permit')!.state).toBe('done')
  })

  test('is not late any more when a later one is done', () => {
    expect(
      states({
        ...approved,
        permitSubmitted: at('02-05'),
        expectedPermitDeliveryDate: at('02-20'),
        installComplete: at('03-09'),
      }),
    ).toMatchObject({ permit: 'passed', install: 'done' })
  })
})

describe('a permit', () => {
  test('that is not required is skipped', () => {
    expect(states({ ...approved, permitRequired: false, inspectionRequired: false })).toMatchObject({
      permit: 'needless',
      install: 'next',
      inspection: 'needless',
    })
    expect(
      states({ ...approved, permitRequired: false, expectedPermitDeliveryDate: at('02-20') }),
    ).toMatchObject({ permit: 'needless' })
  })

  test('counts when it was submitted all the same', () => {
    expect(states({ ...permitted, permitRequired: false })).toMatchObject({ permit: 'done' })
  })
})

describe('an HOA', () => {
  test('is there when the deal has one', () => {
    expect(step(approved, 'hoa')).toBeUndefined()
    expect(step({ ...approved, hoaApprovedDate: at('02-03') }, 'hoa')).toMatchObject({
      state: 'done',
      gap: { days: 2, after: null },
    })
  })

  test('decides beside the permit, until the install', () => {
    expect(states({ ...permitted, hasHoa: true })).toMatchObject({
      hoa: 'next',
      permit: 'done',
      install: 'next',
    })
    expect(states({ ...installed, hasHoa: true })).toMatchObject({ hoa: 'passed' })
    expect(states({ ...engineered, hasHoa: true, hoaApprovedDate: at('02-03') })).toMatchObject({
      ntp: 'next',
      hoa: 'done',
    })
    expect(step({ ...permitted, hasHoa: true, hoaApprovedDate: at('02-20') }, 'permit')!.gap).toEqual({
      days: 4,
      after: 'Notice to proceed',
    })
  })
})

describe('after the install', () => {
  test('an inspection is done with its result', () => {
    const inspected = { ...installed, inspectionRequested: at('03-10') }
    expect(step(inspected, 'inspection')).toMatchObject({ state: 'running', result: null })
    expect(step({ ...inspected, inspectionResults: 'Passed' }, 'inspection')).toMatchObject({
      state: 'done',
      result: 'Passed',
    })
    expect(states({ ...inspected, fundingSubmitted: at('03-12') })).toMatchObject({
      inspection: 'done',
      funding: 'done',
    })
  })

  test('one that failed is followed by a re-install and a re-inspection', () => {
    const failed = { ...installed, inspectionRequested: at('03-10'), inspectionResults: 'Failed: labels' }
    expect(states(failed)).toMatchObject({ inspection: 'done', reInspection: 'next', funding: 'ahead' })
    const repaired = { ...failed, reInstallScheduled: at('03-12'), reInspectionRequested: at('03-13') }
    expect(Object.entries(states(repaired)).slice(-5, -1)).toEqual([
      ['inspection', 'done'],
      ['reInstall', 'done'],
      ['reInspection', 'running'],
      ['funding', 'ahead'],
    ])
    expect(states({ ...repaired, reInspectionRequested: null })).toMatchObject({ reInstall: 'late' })
  })

  test('a re-install that was planned before the inspection stands before it', () => {
    expect(
      steps({ ...installed, reInstallScheduled: at('03-18'), inspectionRequested: at('03-20') })
        .map(({ name }) => name)
        .slice(-5, -1),
    ).toEqual(['install', 'reInstall', 'inspection', 'funding'])
    expect(
      steps({ ...installed, reInstallScheduled: at('03-18') })
        .map(({ name }) => name)
        .slice(-5, -1),
    ).toEqual(['install', 'reInstall', 'inspection', 'funding'])
  })

  test('M2 approval comes last, and follows its flag', () => {
    const submitted = { ...installed, inspectionRequested: at('03-10'), fundingSubmitted: at('03-12') }
    expect(states(submitted)).toMatchObject({ funding: 'done', m2: 'next' })
    expect(states({ ...submitted, m2Approved: true })).toMatchObject({ funding: 'done', m2: 'done' })
    expect(states({ ...installed, m2Approved: true })).toMatchObject({ funding: 'passed', m2: 'done' })
    expect(states({ ...submitted, stage: 'Cancelled' })).toMatchObject({ m2: 'ahead' })
  })

  test('the flag stands for a missing date', () => {
    expect(step({ ...permitted, installCompleted: true }, 'install')).toMatchObject({
      state: 'done',
      dates: [],
      lengthDays: null,
    })
  })
})

test('a cancelled deal has nothing late', () => {
  expect(
    Object.values(states({ ...permitted, stage: 'Cancelled', installedScheduled: at('03-01') })),
  ).not.toContain('late')
})

test('each deal of the demonstration goes one way: done, then open, then ahead', () => {
  const now = new Date('2026-03-15T12:00:00.000Z')
  for (const deal of demoDeals({ partner: demoPartners[0]!, count: 300, firstId: 1n, now })) {
    const timeline = timelineOf(deal, classifyStage(deal.stage ?? '').kind, now.getTime(), utc).filter(
      ({ name }) => name !== 'hoa',
    )
    const rankOf: Record<string, number> = { done: 0, passed: 0, ahead: 2 }
    const ranks = timeline.filter(({ state }) => state !== 'needless').map(({ state }) => rankOf[state] ?? 1)
    expect(ranks, `${deal.id} ${deal.stage}`).toEqual(ranks.toSorted((a, b) => a - b))
    expect(timeline.filter(({ state }) => state === 'next').length).toBeLessThanOrEqual(1)
  }
})

test('an open deal with all milestones behind it has its stage left to do', () => {
  const paid = {
    ...installed,
    inspectionRequested: at('03-10'),
    fundingSubmitted: at('03-12'),
    m2Approved: true,
  }
  const awaiting = { ...paid, stage: 'Awaiting PTO', timeInCurrentStage: at('03-13') }
  expect(steps(awaiting).at(-1)).toMatchObject({
    name: 'stage',
    label: 'Awaiting PTO',
    state: 'running',
    lengthDays: 2,
  })
  expect(countSteps(steps(awaiting))).toEqual({ done: 10, needed: 11 })
  for (const stage of ['Complete', 'On Hold', null])
    expect(steps({ ...paid, stage }).some(({ name }) => name === 'stage')).toBe(false)
})
