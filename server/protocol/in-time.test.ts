import { expect, test } from 'vitest'
import { inTime } from './in-time.ts'

const tooLate = () => new Error('too late')

test('returns the result or error of work in time', async () => {
  expect(await inTime(Promise.resolve(1), 1000, tooLate)).toBe(1)
  await expect(inTime(Promise.reject(new Error('gone')), 1000, tooLate)).rejects.toThrow('gone')
})

test('does not wait for slow work, and ignores its later error', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  await expect(inTime(promise, 1, tooLate)).rejects.toThrow('too late')
  reject(new Error('gone'))
})
