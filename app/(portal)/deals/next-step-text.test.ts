import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import type { NextStep } from '#server/deals/milestones/next-step.ts'
import { utc } from '#server/values/zone.ts'
import { nextStepText, seenInStage } from './next-step-text.ts'

const time = '2026-02-20T16:00:00.000Z'

test.each<[NextStep | null, string]>([
  [{ kind: 'late', label: 'Permit', time, daysUntil: -12 }, 'Permit 12 days late'],
  [{ kind: 'planned', label: 'Install', time, daysUntil: 3 }, 'Install 2026-02-20'],
  [{ kind: 'open', label: 'Permit submission' }, 'Permit submission'],
  [{ kind: 'unknown' }, '–'],
  [null, ''],
])('describes the next step %j as %j', (step, text) => {
  expect(nextStepText(step, (of) => of.slice(0, 10))).toBe(text)
})

test.each([
  ['2026-03-04T12:00:00.000Z', 'Just now'],
  ['2026-03-04T11:59:01.000Z', 'Just now'],
  ['2026-03-01T12:00:00.000Z', 'At least 3 days'],
])('for a deal first seen in its stage at %s, shows the time in the stage as %s', (seenAt, text) => {
  expect(seenInStage(seenAt, Date.parse('2026-03-04T12:00:00.000Z'), formatIn(utc).formatDuration)).toBe(text)
})
