import { expect, test } from 'vitest'
import { blockerTitle, sequentialLabels } from './labels.ts'
import { sequentialMilestones, milestoneOf } from './milestone.ts'

test('filters name milestones as deals do, in the same order', () => {
  expect(Object.entries(sequentialLabels)).toEqual(
    sequentialMilestones.map((name) => [name, milestoneOf(name).label]),
  )
})

test.each([
  ['Permit: Eva Novak, Permit coordinator', 'permitCoordinator', 'Eva Novak'],
  ['Permit: Permit coordinator', 'permitCoordinator', null],
  ['Permit', null, null],
] as const)('shows a blocker as %s', (text, holder, name) => {
  expect(blockerTitle({ gate: 'install', hold: 'permit', holder, name })).toBe(text)
})
