import { expect, test } from 'vitest'
import { withTimeout } from './with-timeout.ts'

const tooLate = () => {
  throw new Error('too late')
}

test('returns the result or error of work that ends in time', async () => {
  expect(await withTimeout(Promise.resolve(1), 1000, tooLate)).toBe(1)
  await expect(withTimeout(Promise.reject(new Error('gone')), 1000, tooLate)).rejects.toThrow('gone')
})

test('does not wait for work that takes longer, and ignores its later error', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  await expect(withTimeout(promise, 1, tooLate)).rejects.toThrow('too late')
  expect(await withTimeout(promise, 1, () => 'nothing')).toBe('nothing')
  reject(new Error('gone'))
})
