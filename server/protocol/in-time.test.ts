import { expect, test } from 'vitest'
import { inTime } from './in-time.ts'

const tooLate = () => new Error('too late')

test('work in time gives what it gives, or its own error', async () => {
  expect(await inTime(Promise.resolve(1), 1000, tooLate)).toBe(1)
  await expect(inTime(Promise.reject(new Error('gone')), 1000, tooLate)).rejects.toThrow('gone')
})

test('work that takes longer is not waited for, and its own error afterwards is nobody’s', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  await expect(inTime(promise, 1, tooLate)).rejects.toThrow('too late')
  reject(new Error('gone'))
})
