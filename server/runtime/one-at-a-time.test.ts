import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('work that is still being done is not begun again, and is afterwards, although it failed', async () => {
  const ends: (() => void)[] = []
  let fails = false
  const work = oneAtATime(async () => {
    if (fails) throw new Error('gone')
    await new Promise<void>((resolve) => ends.push(resolve))
  })
  const first = work()
  await work()
  expect(ends).toHaveLength(1)
  ends[0]!()
  await first
  fails = true
  await expect(work()).rejects.toThrow('gone')
  fails = false
  const next = work()
  expect(ends).toHaveLength(2)
  ends[1]!()
  await next
})
