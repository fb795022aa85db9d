import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { throttles } from '#db/schema/accounts.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { countAttempt, resetAttempts } from './throttle-store.ts'
import { type Counter, type Purpose, counterHash, limits } from './throttle.ts'

const database = await openTestDatabase()

const purposes = Object.keys(limits) as Purpose[]

test('each purpose, and each part of a key, has its own namespace', () => {
  const addresses = [
    'ana@a.example',
    'reset ana@a.example',
    'sign-in ana@a.example',
    'ana@a.example device',
    '["reset-mail","ana@a.example"]',
  ]
  const counters: Counter[] = purposes.flatMap((purpose) => [
    ...addresses.map((address) => ({ purpose, of: [address] })),
    { purpose, of: ['ana@a.example', 'device'] },
    { purpose, of: ['ana', '@a.example', 'device'] },
  ])
  expect(new Set(counters.map(counterHash)).size).toBe(counters.length)
})

test.each(purposes)(
  '%s exceeds its limit after the allowed attempts, even concurrent ones, until it is reset or its window ends',
  async (purpose) => {
    const { max, windowS } = limits[purpose]
    const counter = { purpose, of: [crypto.randomUUID()] }
    const counts = await Promise.all(
      Array.from({ length: max + 3 }, () => countAttempt(database.db, counter)),
    )
    expect(counts.map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: max + 3 }, (_, index) => index + 1),
    )
    for (const { attempts, isOver, retryAfterS } of counts) {
      expect(isOver).toBe(attempts > max)
      expect(retryAfterS).toBeGreaterThan(windowS - 30)
      expect(retryAfterS).toBeLessThanOrEqual(windowS)
    }
    expect(await countAttempt(database.db, { purpose, of: ['another'] })).toMatchObject({ isOver: false })
    await resetAttempts(database.db, counter)
    expect(await countAttempt(database.db, counter)).toMatchObject({ attempts: 1 })
    await database.db.update(throttles).set({ endsAt: sql`ends_at - make_interval(secs => ${windowS})` })
    expect(await countAttempt(database.db, counter)).toMatchObject({ attempts: 1, isOver: false })
  },
)
