import { expect, test } from 'vitest'
import { BigRowId, RowId, Time, line, text } from './input.ts'

const problems = (
  schema: { safeParse(value: unknown): { error?: { issues: { message: string }[] } | undefined } },
  value: unknown,
) => (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)

test.each(['', 'a', ' a ', 'a\tb\nc', '\u0001', '🏠'.repeat(5), 'ﷺ'])('text holds %j', (value) =>
  expect(text(10).parse(value)).toBe(value),
)

test.each(['\0', 'a\0', '\ud83c', 'a\udfe0b', '\udfe0\ud83c'])('text does not hold %j', (value) => {
  expect(problems(text(10), value)).toEqual(['must not contain NUL or broken surrogates'])
  expect(problems(line(10), value)).toEqual([
    `must not contain ${value.includes('\0') ? 'control characters' : 'broken surrogates'}`,
  ])
})

test('a line is trimmed before it is measured, and has no control characters', () => {
  expect(line(3).parse('  abc\n')).toBe('abc')
  for (const value of ['a\tb', 'a\nb', 'a\u0085b', '\u001b'])
    expect(problems(line(10), value)).toEqual(['must not contain control characters'])
})

test('validates no further than the maximum length', () => {
  for (const schema of [text(3), line(3)])
    expect(problems(schema, '\0'.repeat(10_000_000))).toEqual(['must be at most 3 characters long'])
})

test('ids are limited to what PostgreSQL can store', () => {
  expect([1, 2_147_483_647].map((id) => RowId.parse(id))).toEqual([1, 2_147_483_647])
  for (const id of [0, -1, 1.5, 2_147_483_648, 2 ** 40, '1', null, NaN])
    expect(RowId.safeParse(id).success, String(id)).toBe(false)
  expect(BigRowId.parse(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
  for (const id of [0, 1.5, 2 ** 53]) expect(BigRowId.safeParse(id).success, String(id)).toBe(false)
})

test.each([
  [0, true],
  [-1, false],
  [Date.parse('9999-12-31'), true],
  [8.64e15, false],
  [NaN, false],
])('accepts the time %d: %s', (ms, isOne) => expect(Time.safeParse(new Date(ms)).success).toBe(isOne))
