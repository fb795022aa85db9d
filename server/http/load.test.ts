import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isSaturated, watchLoad } from './load.ts'

/**
 * Holds the event loop up to `turns` times for longer than it may lag, until the process counts as saturated. Returns whether
 * it does: on a busy machine that takes longer, because the loop comes to little between the turns.
 */
async function lag(turns: number): Promise<boolean> {
  for (let turn = 0; turn < turns && !isSaturated(); turn++) {
    for (const end = performance.now() + 800; performance.now() < end;);
    await sleep(1)
  }
  return isSaturated()
}

test('an event loop that lags before the process listens is not load; afterwards it is, until it is over', async () => {
  expect(await lag(2)).toBe(false)
  watchLoad()
  await sleep(1100)
  expect(isSaturated()).toBe(false)
  expect(await lag(20)).toBe(true)
  await expect.poll(() => isSaturated(), { timeout: 5000, interval: 10 }).toBe(false)
})
