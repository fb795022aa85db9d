import { expect, test } from 'vitest'
import { courseLabels } from './labels.ts'
import { courseMilestones, milestoneOf } from './milestone.ts'

test('filters name milestones as deals do, in their order', () => {
  expect(Object.entries(courseLabels)).toEqual(
    courseMilestones.map((name) => [name, milestoneOf(name).label]),
  )
})
