import { describe, expect, test } from 'vitest'
import { quoted, reasonOf, sentenceOf } from './reason.ts'

describe('an unreadable cell', () => {
  const reason = (...[field, kind, value]: Parameters<typeof reasonOf>) =>
    reasonOf(field, kind, value, { title: 'A', text: String(value ?? '') })

  test.each([
    ['id', 'int64', null, 'is empty'],
    ['id', 'int64', 'x-1', '“x-1” is not an ID; use a whole number such as 20411000193'],
    ['id', 'int64', '2.04E+10', '“2.04E+10” is not an ID; use a whole number such as 20411000193'],
    ['amount', 'double', 'abc', '“abc” is not an amount; use a number such as 30800.50'],
    ['basePpw', 'double', 'abc', '“abc” is not a price per watt; use a number such as 3.10'],
    ['hasHoa', 'flag', 'maybe', '“maybe” is neither yes nor no; use one of them'],
    ['permitReceived', 'time', '13/45/2026', '“13/45/2026” is not a date; use one such as 2026-03-01'],
    ['owner', 'person', 'Ana', '“Ana” is not a person; name the column owner.name'],
  ] as const)('for %s, a %s, explains the reason and the fix: %j', (field, kind, value, text) =>
    expect(reason(field, kind, value)).toBe(text),
  )

  test('is quoted as in the table, not as parsed', () => {
    const cell = { title: 'Permit', text: '2/30/2026' }
    expect(reasonOf('permitReceived', 'time', '2026-02-30T00:00:00.000Z', cell)).toMatch(/^“2\/30\/2026”/)
  })
})

test('a quoted number, ID or flag is rejected because of its quotes', () => {
  for (const [field, kind, value] of [
    ['amount', 'double', '5'],
    ['id', 'int64', '5'],
    ['hasHoa', 'flag', 'true'],
  ] as const)
    expect(reasonOf(field, kind, value)).toBe(`“${value}” is text; write it without quotes`)
})

test('a value is quoted in one short line', () => {
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

test('a problem is a sentence that names the column, otherwise the field', () => {
  expect(sentenceOf({ field: 'id', title: 'Deal No.', reason: 'is empty' })).toBe('Deal No. is empty')
  expect(sentenceOf({ field: 'id', reason: 'is empty' })).toBe('ID is empty')
  expect(sentenceOf({ field: 'owner.email', reason: 'is empty' })).toBe('owner.email is empty')
  expect(sentenceOf({ field: null, reason: 'is not JSON' })).toBe('The record is not JSON')
})
