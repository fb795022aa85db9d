import { expect, test } from 'vitest'
import { cellName, cellProblem } from './cell.ts'

test('the fill characters of a narrow column are not a value', () =>
  expect(cellProblem('########')).toBe(
    'was hidden by a narrow column; widen the column, and save the file again',
  ))

test.each(['#REF!', '#DIV/0!', '#NAME?', '#VALUE!', 'Err:502'])('%s is an error value', (text) =>
  expect(cellProblem(text)).toBe(`is the error ${text}`),
)

test.each(['#12', '#REF', 'See #REF!', '', 'Err: 5', '#N/A'])('%j is not an error value', (text) =>
  expect(cellProblem(text)).toBeNull(),
)

test('rejects text in another encoding', () => {
  expect(cellProblem('Nu\uFFFDez')).toBe('has characters that cannot be read; save the file as UTF-8')
})

test('names a cell by column and row', () => {
  expect([cellName(2, 7), cellName(25, 1), cellName(26, 1), cellName(701, 1), cellName(702, 1)]).toEqual([
    'C7',
    'Z1',
    'AA1',
    'ZZ1',
    'AAA1',
  ])
})
