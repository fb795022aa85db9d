import { describe, expect, test } from 'vitest'
import { BigRowId, Email, RowId, Time, line, parseSender, text } from './input.ts'

const problems = (
  schema: { safeParse(value: unknown): { error?: { issues: { message: string }[] } | undefined } },
  value: unknown,
) => (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)

test.each(['', 'a', ' a ', 'a\tb\nc', '\u0001', '🏠'.repeat(5), 'ﷺ'])('a string may contain %j', (value) =>
  expect(text(10).parse(value)).toBe(value),
)

test.each(['\0', 'a\0', '\ud83c', 'a\udfe0b', '\udfe0\ud83c'])('a string may not contain %j', (value) => {
  expect(problems(text(10), value)).toEqual(['must not contain NUL or broken surrogates'])
  expect(problems(line(10), value)).toEqual([
    `must not contain ${value.includes('\0') ? 'control characters' : 'broken surrogates'}`,
  ])
})

test('a line is trimmed before its length is checked, and has no control characters', () => {
  expect(line(3).parse('  abc\n')).toBe('abc')
  for (const value of ['a\tb', 'a\nb', 'a\u0085b', '\u001b'])
    expect(problems(line(10), value)).toEqual(['must not contain control characters'])
})

test('validates no more than the maximum length', () => {
  for (const schema of [text(3), line(3)])
    expect(problems(schema, '\0'.repeat(10_000_000))).toEqual(['must be at most 3 characters long'])
})

test('limits ids to what PostgreSQL can store', () => {
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
])('the time %d is valid: %s', (ms, isOne) => expect(Time.safeParse(new Date(ms)).success).toBe(isOne))

const parsed = (typed: string) => Email.safeParse(typed).data ?? null

describe('an e-mail address', () => {
  test.each([
    ['ANA@Sunline.example ', 'ana@sunline.example'],
    ["o'neill+deals@sub.sunline.example", "o'neill+deals@sub.sunline.example"],
    ['José@sunline.example', 'josé@sunline.example'],
    ['R&D@sunline.example', 'r&d@sunline.example'],
    ["!#$%&'*+/=?^_`{|}~-.a@sunline.example", "!#$%&'*+/=?^_`{|}~-.a@sunline.example"],
    [`${'a'.repeat(64)}@sunline.example`, `${'a'.repeat(64)}@sunline.example`],
    // Written with a combining character and in full-width form, but the same e-mail address.
    ['Jose\u0301@sunline.example', 'josé@sunline.example'],
    ['ａｎａ@ｓｕｎｌｉｎｅ.example', 'ana@sunline.example'],
    ['用户@例子.example', '用户@xn--fsqu00a.example'],
    ['ana@MÜNCHEN.example', 'ana@xn--mnchen-3ya.example'],
    ['ana@xn--mnchen-3ya.example', 'ana@xn--mnchen-3ya.example'],
    ['\u200e\u00a0ana@sunline.example\u200b', 'ana@sunline.example'],
    ['ana@sunline.xn--p1ai', 'ana@sunline.xn--p1ai'],
    ['Ana Lopez <Ana@sunline.example>', 'ana@sunline.example'],
    ['"Lopez, Ana" <ana@sunline.example>; ', 'ana@sunline.example'],
    ['<ana@sunline.example>', 'ana@sunline.example'],
    ['ana@sunline.example (ana@sunline.example)', 'ana@sunline.example'],
    ['mailto:ana@sunline.example', 'ana@sunline.example'],
  ])('stores %s as %s', (typed, stored) => {
    expect(parsed(typed)).toBe(stored)
    expect(parsed(stored)).toBe(stored)
  })

  test.each([
    'ana',
    'ana@',
    '@sunline.example',
    'ana@sunline',
    '.ana@sunline.example',
    'ana.@sunline.example',
    'a..na@sunline.example',
    'ana@@sunline.example',
    'ana@b@sunline.example',
    'a na@sunline.example',
    'a"b@sunline.example',
    '<ana@sunline.example> b@evil.example',
    'Ana <ana>',
    'ana(work)@sunline.example',
    'a:b;c@sunline.example',
    'a\\b@sunline.example',
    'ana@[192.0.2.1]',
    'ana@sunline.example, b@evil.example',
    'ana@sunline.example\r\nBcc: b@evil.example',
    // A zero-width space, a right-to-left override, a soft hyphen, and a combining mark without a letter.
    'a\u200bna@sunline.example',
    'a\u202ena@sunline.example',
    'a\u00adna@sunline.example',
    '\u0301a@sunline.example',
    'ana@例\u200b子.example',
    'ana@例子/evil.example',
    'ana@例子:80.example',
    `${'é'.repeat(300)}@sunline.example`,
  ])('the e-mail address %j is invalid', (typed) => {
    expect(parsed(typed)).toBeNull()
  })
})

const sender = 'portal@sunline.example'

test.each([
  ['portal@sunline.example', ''],
  [' <portal@sunline.example> ', ''],
  ['Sunline Solar <portal@sunline.example>', 'Sunline Solar'],
  ['"Sunline, Inc." <portal@sunline.example>', 'Sunline, Inc.'],
  ['Sonnengröße <portal@sunline.example>', 'Sonnengröße'],
  ['Sunline (Staging) < portal@sunline.example >', 'Sunline (Staging)'],
])('accepts the sender %j', (text, name) => {
  expect(parseSender(text)).toEqual({ name, address: sender })
})

test.each(['', 'portal', 'Sunline', 'Sunline <portal>', 'a@a.example, b@b.example', 'A <a@a.example> B'])(
  'rejects the sender %j',
  (text) => {
    expect(parseSender(text)).toBeNull()
  },
)
