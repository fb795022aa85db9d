import { expect, test } from 'vitest'
import { staffKey } from './deal.ts'
import { isPhone } from './phone.ts'

test.each(['(602) 555-0147', '+1 602.555.0147', '6025550147 x12', '602-555-0147 ext. 3'])(
  '%j is a phone number',
  (text) => expect(isPhone(text)).toBe(true),
)

test.each([
  '',
  '1234',
  'call me',
  '602555014712345678',
  '6025550147 x',
  'x12',
  ' '.repeat(10_000),
  '1'.repeat(10_000),
])('%j is not a phone number', (text) => expect(isPhone(text)).toBe(false))

test('staff are identified by e-mail address, ignoring case and spaces', () =>
  expect(staffKey(' Maria@Bright.Example ')).toBe('maria@bright.example'))
