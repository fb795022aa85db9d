import { expect, test } from 'vitest'
import { clampDrag, indexAt, moveTo, movedRows, namesBeside, shiftOf } from './rows.ts'

const rows = ['A', 'B', 'C']
  .map((name) => ({ name, kind: 'open' }))
  .concat(['Paid', 'Done'].map((name) => ({ name, kind: 'won' })))
const names = ['A', 'B', 'C']

test('a stage moves within its kind', () => {
  expect(namesBeside(rows, 'B')).toEqual(names)
  expect(namesBeside(rows, 'Done')).toEqual(['Paid', 'Done'])
  expect(namesBeside(rows, 'Gone')).toEqual([])
})

test.each([
  ['A', 2, { name: 'A', was: null, after: 'C', before: null }, 'BCA'],
  ['A', 1, { name: 'A', was: null, after: 'B', before: 'C' }, 'BAC'],
  ['C', 0, { name: 'C', was: 'B', after: null, before: 'A' }, 'CAB'],
  ['C', 1, { name: 'C', was: 'B', after: 'A', before: 'B' }, 'ACB'],
])('%s moves to %i', (name, index, move, shown) => {
  expect(moveTo(names, name, index)).toEqual(move)
  expect(
    movedRows(rows, move)
      .slice(0, 3)
      .map((row) => row.name)
      .join(''),
  ).toBe(shown)
})

test('a move to the same place, or of a missing stage, is no move', () => {
  expect(moveTo(names, 'B', 1)).toBeNull()
  expect(moveTo(names, 'Gone', 1)).toBeNull()
  expect(movedRows(rows, { name: 'Gone', was: null, after: 'A', before: 'B' })).toEqual(rows)
  expect(movedRows(rows, { name: 'A', was: null, after: 'Gone', before: 'Gone' })).toEqual(rows)
})

const boxes = [
  { top: 100, height: 40 },
  { top: 140, height: 60 },
  { top: 200, height: 40 },
]

test.each([
  [0, 0, 0],
  [0, 49, 0],
  [0, 51, 1],
  [0, 101, 2],
  [2, -49, 2],
  [2, -51, 1],
  [2, -101, 0],
])('a row from %i that was dragged by %i pixels is dropped at %i', (from, dragged, index) => {
  expect(indexAt(boxes, from, dragged)).toBe(index)
})

test('a row is not dragged beyond its neighbors', () => {
  expect(clampDrag(boxes, 1, -500)).toBe(-40)
  expect(clampDrag(boxes, 1, 500)).toBe(40)
  expect(clampDrag(boxes, 1, 7)).toBe(7)
})

test('the others make room', () => {
  const shifts = (from: number, to: number) => boxes.map((_, index) => shiftOf(boxes, from, to, index))
  expect(shifts(0, 2)).toEqual([100, -40, -40])
  expect(shifts(2, 0)).toEqual([40, 40, -100])
  expect(shifts(1, 2)).toEqual([0, 40, -60])
  expect(shifts(1, 1)).toEqual([0, 0, 0])
})
