import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isSaturated, watchLoad } from './load.ts'

/** Holds the event loop again and again for longer than it may lag; returns whether the process counted as saturated then. */
async function lag(): Promise<boolean> {
  let wasSaturated = false
  for (let turn = 0; turn < 4; turn++) {
    for (const end = performance.now() + 800; performance.now() < end;);
    await sleep(1)
    wasSaturated ||= isSaturated()
  }
  return wasSaturated
}

test('an event loop that lags before the process listens is not load; afterwards it is, until it is over', async () => {
  expect(await lag()).toBe(false)
  watchLoad()
  await sleep(1100)
  expect(isSaturated()).toBe(false)
  expect(await lag()).toBe(true)
  await expect.poll(() => isSaturated(), { timeout: 5000, interval: 10 }).toBe(false)
})
