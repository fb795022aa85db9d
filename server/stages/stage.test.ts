import { describe, expect, test } from 'vitest'
import { type Stage, classifyStage, compareStages, isClosed, makeStageOf, toneOf } from './stage.ts'

const kindOf = (name: string) => classifyStage(name).kind

describe('the kind of a stage by its name', () => {
  test.each([
    'Cancelled',
    'canceled',
    'Customer Cancel',
    'Cancellation',
    'Lost',
    'Closed Lost',
    'Closed - lost',
    'Dead',
    'Withdrawn',
    'Disqualified',
    'Terminated',
    'Archived',
    'Cancelled (was on hold)',
  ])('for %s is lost', (stage) => {
    expect(classifyStage(stage)).toEqual({ kind: 'lost', tone: 'gray', place: null })
  })

  test.each([
    'Closed Won',
    'CLOSED',
    'Funded',
    'M2 Funded',
    'Complete',
    'Completed',
    '12. Complete',
    '✅ Complete',
    'Complete - PTO granted',
    'PTO Granted',
    'PTO: received',
    'Project Complete',
    'Job completed',
    'Service Complete',
    'Done',
  ])('for %s is won', (stage) => {
    expect(classifyStage(stage)).toEqual({ kind: 'won', tone: 'green', place: null })
  })

  test.each(['On Hold', 'HOLD', 'Paused', 'On hold, pending cancellation', 'Pause'])(
    'for %s is on hold',
    (stage) => {
      expect(classifyStage(stage)).toEqual({ kind: 'on-hold', tone: 'gray', place: null })
    },
  )

  test.each([
    '',
    'Site Survey',
    'Install Complete',
    'CAD Completed',
    'Permit Submitted',
    'Permit Rejected',
    'Inspection failed',
    'Household survey',
    'Funding',
    'PTO',
    'PTO Submitted',
    'Awaiting PTO',
    'Awaiting Cancellation',
    'Pending cancellation',
    'Cancellation requested',
    'Not funded',
    'Ready to be funded',
    'Partially funded',
    'Incomplete',
    'Complete paperwork',
    'Lostine County Permit',
    'Enclosed Patio Review',
  ])('for %s is open', (stage) => {
    expect(kindOf(stage)).toBe('open')
  })

  test.each([
    ['New lead', 'blue'],
    ['Site Survey', 'blue'],
    ['Site Assessment', 'blue'],
    ['CAD Completed', 'blue'],
    ['Engineering', 'blue'],
    ['NTP Review', 'violet'],
    ['Permit Submitted', 'violet'],
    ['Permit Rejected', 'violet'],
    ['Waiting for HOA', 'violet'],
    ['Install Scheduled', 'teal'],
    ['Install Complete', 'teal'],
    ['Inspection failed', 'green'],
    ['Post-install inspection', 'green'],
    ['Funding', 'green'],
    ['Awaiting PTO', 'green'],
    ['Final Paperwork', 'green'],
    ['Service Requested', 'gray'],
    ['Cancellation requested', 'gray'],
    ['', 'gray'],
  ])('the stage %s is shown as %s', (stage, tone) => {
    expect(classifyStage(stage).tone).toBe(tone)
  })
})

test('the color of a corrected stage follows its kind', () => {
  expect(toneOf('Install', 'open')).toBe('teal')
  expect((['on-hold', 'lost', 'won'] as const).map((kind) => toneOf('Install', kind))).toEqual([
    'gray',
    'gray',
    'green',
  ])
})

test('won and lost deals are closed, deals on hold are not', () => {
  expect((['open', 'on-hold', 'won', 'lost'] as const).map(isClosed)).toEqual([false, false, true, true])
})

const stage = (name: string, rest: Partial<Stage> = {}): Stage => ({
  name,
  kind: 'open',
  place: null,
  order: 10,
  tone: 'blue',
  ...rest,
})

test('sorts stages: open in order, then on hold, won, lost', () => {
  const stages = [
    stage('Cancelled', { kind: 'lost', order: 0 }),
    stage('Complete', { kind: 'won' }),
    stage('Hold', { kind: 'on-hold' }),
    stage('Install', { order: 20 }),
    stage('Survey'),
    stage('Design'),
  ]
  expect(stages.toSorted(compareStages).map(({ name }) => name)).toEqual([
    'Design',
    'Survey',
    'Install',
    'Hold',
    'Complete',
    'Cancelled',
  ])
})

test('an existing stage overrides the kind implied by its name; an unknown stage is sorted last', () => {
  const known = stage('Funded', { kind: 'open' })
  const stageOf = makeStageOf([known])
  expect(stageOf('Funded')).toBe(known)
  expect(stageOf('Lost')).toMatchObject({ name: 'Lost', kind: 'lost' })
  expect([stageOf('New'), known].toSorted(compareStages)[1]!.name).toBe('New')
})

test('deals without a stage are open and come first', () => {
  const stageOf = makeStageOf([stage('Survey', { order: 0 })])
  for (const none of [null, undefined, '']) expect(stageOf(none)).toMatchObject({ name: '', kind: 'open' })
  expect(compareStages(stageOf(null), stageOf('Survey'))).toBeLessThan(0)
})
