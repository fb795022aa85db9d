import { expect, test } from 'vitest'
import { quoted, sentenceOf, cellName, cellProblem } from './record-source.ts'

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

test('quotes a value in one short line', () => {
  expect(quoted('a\0\r\n\u202eb')).toBe('“a b”')
  expect(quoted(' '.repeat(10_000))).toBe('“ ”')
  expect(quoted('x'.repeat(100_000))).toBe(`“${'x'.repeat(39)}…”`)
  expect(quoted('\ud83d')).toBe('“\ufffd”')
  expect([quoted(null), quoted([1]), quoted({ a: 1 }), quoted(5n)]).toEqual([
    '“null”',
    '“[…]”',
    '“{…}”',
    '“5”',
  ])
})

test('a problem is a sentence that names the column, or the field if there is no column', () => {
  expect(sentenceOf({ field: 'id', title: 'Deal No.', reason: 'is empty' })).toBe('Deal No. is empty')
  expect(sentenceOf({ field: 'id', reason: 'is empty' })).toBe('ID is empty')
  expect(sentenceOf({ field: 'owner.email', reason: 'is empty' })).toBe('owner.email is empty')
  expect(sentenceOf({ field: null, reason: 'is not JSON' })).toBe('The record is not JSON')
})
