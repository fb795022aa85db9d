import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isSaturated, watchLoad } from './load.ts'

/** Nobody notifies it. */
const never = new Int32Array(new SharedArrayBuffer(4))

/**
 * Blocks the event loop up to `turns` times for longer than it may lag, until the process counts as
 * saturated. Returns whether it does: on a busy machine it takes longer, because little else runs between the
 * turns.
 */
async function lag(turns: number): Promise<boolean> {
  for (let turn = 0; turn < turns && !isSaturated(); turn++) {
    Atomics.wait(never, 0, 0, 800)
    await sleep(1)
  }
  return isSaturated()
}

test('event loop lag before the process listens does not count as load; later lag does, until it is over', async () => {
  expect(await lag(2)).toBe(false)
  watchLoad()
  await sleep(1100)
  expect(isSaturated()).toBe(false)
  expect(await lag(20)).toBe(true)
  await expect.poll(() => isSaturated(), { timeout: 5000, interval: 10 }).toBe(false)
})
