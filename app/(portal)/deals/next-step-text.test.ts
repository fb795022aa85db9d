import { expect, test } from 'vitest'
import type { NextStep } from '#server/deals/milestones/next-step.ts'
import { nextStepText } from './next-step-text.ts'

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
