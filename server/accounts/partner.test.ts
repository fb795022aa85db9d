import { expect, test } from 'vitest'
import { isSlug } from './partner.ts'

test.each(['a', '0', 'sunline-home-energy', 'a--b', '1-2-3', 'x'.repeat(63)])('%s is a valid slug', (text) =>
  expect(isSlug(text)).toBe(true),
)

test.each([
  '',
  '-',
  '-a',
  'a-',
  'Sunline',
  'a b',
  'a_b',
  'a.b',
  'a/b',
  'ä',
  'a\n',
  '\na',
  ' a',
  'x'.repeat(64),
  'a\0',
])('%j is not a valid slug', (text) => expect(isSlug(text)).toBe(false))
