import { expect, test } from 'vitest'
import { mentionAt, suggestionsFor } from './mention.ts'

test.each([
  ['@', { start: 0, query: '' }],
  ['Hi @an', { start: 3, query: 'an' }],
  ['Hi @Ana Lo', { start: 3, query: 'Ana Lo' }],
  ["(@O'Neil", { start: 1, query: "O'Neil" }],
  ['Hi @Ana Lopez it', null],
  ['ana@sunline.example', null],
  ['Hi', null],
])('what is being mentioned at the end of %j', (text, mention) =>
  expect(mentionAt(text, text.length)).toEqual(mention),
)

test('a mention ends at the cursor', () =>
  expect(mentionAt('@Ana, hi', 3)).toEqual({ start: 0, query: 'An' }))

test('people are suggested by the beginning of each of their names', () => {
  const people = ['Ana Lopez', 'Ben Lo', 'Lou Ito', 'Dalo'].map((name) => ({ name }))
  const names = (query: string) => suggestionsFor(people, query).map(({ name }) => name)
  expect(names('lo')).toEqual(['Ana Lopez', 'Ben Lo', 'Lou Ito'])
  expect(names('Ana L')).toEqual(['Ana Lopez'])
  expect(names('x')).toEqual([])
})
