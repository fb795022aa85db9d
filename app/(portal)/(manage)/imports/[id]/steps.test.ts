import { expect, test } from 'vitest'
import type { Sample } from '#server/imports/import.ts'
import { firstStep, stepsOf } from './steps.ts'

const column = { title: 'id', field: 'id', examples: [] }
const found = (sample: Partial<Sample>, more: { undoes?: number; stages?: Record<string, string> } = {}) => ({
  undoes: more.undoes ?? null,
  stages: more.stages ?? {},
  sample: sample as Sample,
})
const unsure = [{ name: 'Permited', deals: 1, likely: ['Permitted'], isUnsure: true }]
const lost = [{ title: 'Color', filled: 1, examples: ['red'] }]

test('a table has three steps, JSON records skip the columns step, and an undo has only the review', () => {
  expect(stepsOf(found({ columns: [column] }))).toEqual(['columns', 'choices', 'review'])
  expect(stepsOf(found({}))).toEqual(['review'])
  expect(stepsOf(found({ columns: [column] }, { undoes: 1 }))).toEqual(['review'])
  expect(stepsOf(found({ stages: unsure }))).toEqual(['choices', 'review'])
})

test('the review is unavailable until the columns can be read', () => {
  expect(stepsOf(found({ columns: [column], columnProblem: 'No column is an id.' }))).toEqual(['columns'])
  expect(firstStep(found({ sheetProblem: 'There are no records in this sheet.' }))).toBe('columns')
})

test('starts at the first step with an open question', () => {
  expect(firstStep(found({ columns: [column], lost }))).toBe('columns')
  expect(firstStep(found({ columns: [{ ...column, mayBe: ['id'] }] }))).toBe('columns')
  expect(firstStep(found({ columns: [column], stages: unsure }))).toBe('choices')
  expect(firstStep(found({ columns: [column], stages: unsure }, { stages: { Permited: 'Permitted' } }))).toBe(
    'review',
  )
  expect(firstStep(found({ columns: [column] }))).toBe('review')
})
