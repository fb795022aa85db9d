import { expect, test } from 'vitest'
import { quoted, sentenceOf } from './reason.ts'

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
