import { expect, test } from 'vitest'
import { type UsualSteps, expectedSteps } from './expected.ts'
import { type OngoingStep, flowSteps } from './flow.ts'
import type { Step } from './timeline.ts'

const usual = {
  ...Object.fromEntries(flowSteps.map((step) => [step, null])),
  ntp: { median: 7, slow: 14 },
  permitSubmission: { median: 4, slow: 8 },
  permit: { median: 15, slow: 35 },
  install: { median: 21, slow: 29 },
} as UsualSteps
const timeline = (state: Step['state']) => [{ name: 'permit', state }] as Step[]
const since = '2026-02-01T00:00:00.000Z'
const daysOf = (now: Omit<OngoingStep, 'since'> | null, state: Step['state'] = 'next') =>
  Object.entries(expectedSteps(now && { ...now, since }, usual, timeline(state), '2026-03-01')).map(
    ([name, { from, to, isSlow }]) => `${name} ${from} ${to}${isSlow ? ' slow' : ''}`,
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
    'permit 2026-02-08 2026-02-28 slow',
    'install 2026-03-22 2026-03-30',
  ])
})

test('a future step is neither in progress nor slow', () => {
  const now = { step: 'permit', since, days: 36 } as const
  const of = (state: Step['state']) => expectedSteps(now, usual, timeline(state), '2026-03-01').permit
  expect(of('running')).toMatchObject({ since, isSlow: true })
  expect(of('toDo')).toMatchObject({ since: null, isSlow: false })
})
