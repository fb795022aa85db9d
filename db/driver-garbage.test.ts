import { GCProfiler } from 'node:v8'
import { expect, test } from 'vitest'
import { createTestDatabase } from './test-database.ts'

// A driver patch (db/patches) ensures that the garbage of queries is collected while young, because a full
// collection stops the process for longer.

/** Returns how many bytes young-generation collections move to the old generation during the work. */
async function promotedBy(work: () => Promise<unknown>): Promise<number> {
  const profiler = new GCProfiler()
  profiler.start()
  await work()
  let promoted = 0
  for (const { gcType, beforeGC, afterGC } of profiler.stop()!.statistics) {
    const [before, after] = [beforeGC, afterGC].map(
      ({ heapSpaceStatistics }) =>
        heapSpaceStatistics.find(({ spaceName }) => spaceName === 'old_space')!.spaceUsedSize,
    )
    if (gcType === 'Scavenge') promoted += after! - before!
  }
  return promoted
}

test('rows of consecutive queries are garbage-collected before they reach the old generation', async () => {
  const { db, drop } = await createTestDatabase()
  const read = async () => {
    for (let query = 0; query < 500; query++)
      await db.$client`select repeat('x', 4096) as text from generate_series(1, 25)`
  }
  try {
    // The first collections cover garbage from startup, part of which survives.
    await read()
    // One percent of the data read. The live heap is smaller.
    expect(await promotedBy(read)).toBeLessThan((500 * 25 * 4096) / 100)
  } finally {
    await drop()
  }
})
