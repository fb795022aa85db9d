import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isSaturated, watchLoad } from './load.ts'

/** Used to block the thread: nothing ever notifies this array. */
const never = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the event loop up to `turns` times. Returns true when the process counts as saturated. */
async function lag(turns: number): Promise<boolean> {
  for (let turn = 0; turn < turns && !isSaturated(); turn++) {
    Atomics.wait(never, 0, 0, 800)
    await sleep(1)
  }
  return isSaturated()
}

test('reports saturation while the event loop lags, but not before the process listens', async () => {
  expect(await lag(2)).toBe(false)
  watchLoad()
  await sleep(1100)
  expect(isSaturated()).toBe(false)
  expect(await lag(20)).toBe(true)
  await expect.poll(() => isSaturated(), { timeout: 5000, interval: 10 }).toBe(false)
})
