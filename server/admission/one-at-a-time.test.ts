import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('joins running work, and runs it again afterwards, even if it failed', async () => {
  const ends: (() => void)[] = []
  let fails = false
  const work = oneAtATime(async () => {
    if (fails) throw new Error('gone')
    await new Promise<void>((resolve) => ends.push(resolve))
  })
  const first = work()
  const second = work()
  expect(ends).toHaveLength(1)
  ends[0]!()
  await Promise.all([first, second])
  fails = true
  await expect(work()).rejects.toThrow('gone')
  fails = false
  const next = work()
  expect(ends).toHaveLength(2)
  ends[1]!()
  await next
})
