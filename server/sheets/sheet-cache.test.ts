import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Caller } from '../admission/admission.ts'
import { ApiError } from '../errors.ts'
import { hourMs, minuteMs } from '../values/units.ts'
import { SheetCache } from './sheet-cache.ts'
import type { SheetCsv } from './write-csv.ts'

const caller: Caller = { kind: 'partner', group: 'partner 1', member: 'token 1' }
const csvOf = (text: string): SheetCsv => ({ gzipped: Buffer.from(text), sizeBytes: text.length, etag: text })

/** Returns a cache with a fake clock and computations that the test completes. */
function makeCache({ maxBytes = 1_000_000, waitMs = 1000 } = {}) {
  const clock = { nowMs: hourMs }
  const cache = new SheetCache(maxBytes, () => clock.nowMs, waitMs)
  const computations: PromiseWithResolvers<SheetCsv>[] = []
  const read = (sheetId = 1) =>
    cache
      .read(sheetId, caller, () => {
        const computation = Promise.withResolvers<SheetCsv>()
        computations.push(computation)
        return computation.promise
      })
      .then(({ etag }) => etag)
  return { clock, computations, read }
}

test('computes a sheet once a minute for all readers', async () => {
  const { clock, computations, read } = makeCache()
  const both = [read(), read()]
  computations[0]!.resolve(csvOf('first'))
  expect(await Promise.all(both)).toEqual(['first', 'first'])
  clock.nowMs += minuteMs - 1
  expect(await read()).toBe('first')
  clock.nowMs += 1
  const later = read()
  await sleep(1)
  computations[1]!.resolve(csvOf('second'))
  expect(await later).toBe('second')
  expect(computations).toHaveLength(2)
})

test('computes one sheet at a time', async () => {
  const { computations, read } = makeCache()
  const [first, second] = [read(1), read(2)]
  await sleep(1)
  expect(computations).toHaveLength(1)
  computations[0]!.resolve(csvOf('first'))
  expect(await first).toBe('first')
  await sleep(1)
  computations[1]!.resolve(csvOf('second'))
  expect(await second).toBe('second')
})

test('returns the previous sheet to readers that wait too long, or a 503 if there is none', async () => {
  const { clock, computations, read } = makeCache({ waitMs: 20 })
  await expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  computations[0]!.resolve(csvOf('first'))
  await sleep(1)
  expect(await read()).toBe('first')
  clock.nowMs += minuteMs
  expect(await read()).toBe('first')
  computations[1]!.resolve(csvOf('second'))
  await sleep(1)
  expect(await read()).toBe('second')
})

test('caches the error that a sheet is too large for a minute, and no other error', async () => {
  const { clock, computations, read } = makeCache()
  const fail = async (error: Error) => {
    const failed = read()
    await sleep(1)
    computations.at(-1)!.reject(error)
    await expect(failed).rejects.toThrow(error.message)
  }
  await fail(new ApiError('PAYLOAD_TOO_LARGE', 'too large'))
  await expect(read()).rejects.toThrow('too large')
  expect(computations).toHaveLength(1)
  clock.nowMs += minuteMs
  await fail(new Error('the database is away'))
  await fail(new Error('the database is away again'))
  expect(computations).toHaveLength(3)
})

test('limits the total size of cached sheets', async () => {
  const { computations, read } = makeCache({ maxBytes: 5000 })
  for (const id of [1, 2, 3]) {
    const reading = read(id)
    await sleep(1)
    computations.at(-1)!.resolve(csvOf('x'.repeat(1200)))
    await reading
  }
  await read(3)
  expect(computations).toHaveLength(3)
  void read(1).catch(() => {})
  await sleep(1)
  expect(computations).toHaveLength(4)
})
