import { expect, test } from 'vitest'
import { storable } from './storable.ts'

test('removes NUL and replaces lone surrogates, including those left by cutting', () => {
  expect(storable('a\0b \uD83D c')).toBe('ab \uFFFD c')
  expect(storable('sun ☀ 😀', 7)).toBe('sun ☀ \uFFFD')
  expect(storable('sun ☀ 😀', 8)).toBe('sun ☀ 😀')
})
