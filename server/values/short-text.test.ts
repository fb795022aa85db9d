import { expect, test } from 'vitest'
import { cutText, storable } from './short-text.ts'

test('removes NUL and replaces lone surrogates, including those left by cutting', () => {
  expect(storable('a\0b \uD83D c')).toBe('ab \uFFFD c')
  expect(storable('sun ☀ 😀', 7)).toBe('sun ☀ \uFFFD')
  expect(storable('sun ☀ 😀', 8)).toBe('sun ☀ 😀')
})

test.each([
  ['short', 5, 'short'],
  ['a longer text', 9, 'a longer…'],
  ['family 👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 20, 'family 👨‍👩‍👧‍👦…'],
  ['family 👨‍👩‍👧‍👦', 17, 'family…'],
  ['flag 🇺🇸🇲🇽', 8, 'flag…'],
  ['flag 🇺🇸🇲🇽', 10, 'flag 🇺🇸…'],
  ['cafe\u0301s', 5, 'caf…'],
  ['🙂🙂🙂', 4, '🙂…'],
  ['नमस्ते दुनिया', 6, 'नम…'],
])('cuts %j to at most %d characters: %j', (text, max, cut) => {
  expect(cutText(text, max)).toBe(cut)
  expect(cutText(text, max).length).toBeLessThanOrEqual(max)
})
