import { expect, test } from 'vitest'
import { moveBehind, nameBefore, namesBeside } from './rows.ts'

const rows = ['A', 'B', 'C']
  .map((name) => ({ name, kind: 'open' }))
  .concat(['Paid', 'Done'].map((name) => ({ name, kind: 'won' })))
const names = ['A', 'B', 'C']

test('a stage moves only among stages of its kind', () => {
  expect(namesBeside(rows, 'B')).toEqual(names)
  expect(namesBeside(rows, 'Done')).toEqual(['Paid', 'Done'])
  expect(namesBeside(rows, 'Gone')).toEqual([])
})

test.each([
  ['A', 'C', { name: 'A', was: null, after: 'C', before: null }],
  ['A', 'B', { name: 'A', was: null, after: 'B', before: 'C' }],
  ['C', null, { name: 'C', was: 'B', after: null, before: 'A' }],
  ['C', 'A', { name: 'C', was: 'B', after: 'A', before: 'B' }],
])('the stage %s moves after %s', (name, after, move) => {
  expect(moveBehind(names, name, after)).toEqual(move)
})

test('ignores a move to the current position', () => {
  expect(nameBefore(names, 'B')).toBe('A')
  expect(moveBehind(names, 'B', 'A')).toBeNull()
  expect(nameBefore(names, 'A')).toBeNull()
  expect(moveBehind(names, 'A', null)).toBeNull()
})
