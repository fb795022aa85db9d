import { expect, test } from 'vitest'
import { sequentialLabels } from './labels.ts'
import { sequentialMilestones, milestoneOf } from './milestone.ts'

test('filters name milestones as deals do, in their order', () => {
  expect(Object.entries(sequentialLabels)).toEqual(
    sequentialMilestones.map((name) => [name, milestoneOf(name).label]),
  )
})
