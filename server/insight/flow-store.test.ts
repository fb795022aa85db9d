import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import type { UsualSteps } from '../deals/payment.ts'
import { utc } from '../values/zone.ts'
import { cacheUsual } from './flow-store.ts'

const tenant = 7 as TenantScope
const usual = (days: number) => ({ payment: { median: days, slow: days } }) as UsualSteps

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('reads once in several minutes, and returns the old durations while it reloads', async () => {
  const read = vi.fn(async () => usual(read.mock.calls.length))
  const cached = cacheUsual(read, Date.now)
  expect(await cached(tenant, utc)).toEqual(usual(1))
  expect(await cached(tenant, utc)).toEqual(usual(1))
  expect(read).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(11 * 60_000)
  expect(await cached(tenant, utc)).toEqual(usual(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(await cached(tenant, utc)).toEqual(usual(2))
})

test('returns null instead of waiting too long, and reads again after a failure', async () => {
  const { promise, reject } = Promise.withResolvers<UsualSteps>()
  const read = vi.fn(() => (read.mock.calls.length === 1 ? promise : Promise.resolve(usual(3))))
  const cached = cacheUsual(read, Date.now)
  const first = cached(tenant, utc)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await first).toBeNull()
  reject(new Error('no database'))
  await vi.advanceTimersByTimeAsync(0)
  expect(await cached(tenant, utc)).toEqual(usual(3))
})
