import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Refusal } from './errors.ts'
import { type RateLimit, makeRateLimit } from './rate-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T17:20:05Z') }))
afterEach(() => void vi.useRealTimers())

/** Asks once, and gives the headers and what was refused. */
async function ask(limit: RateLimit, tokenId: number) {
  const headers: Record<string, unknown> = {}
  const response = { setHeader: (name: string, value: unknown) => { headers[name] = value } } as unknown as ServerResponse
  const refusal = await limit(tokenId, response).then(() => null, (error: unknown) => error as Refusal)
  return { headers, refusal }
}

test('a token may ask so often a minute, and is told what is left', async () => {
  const limit = makeRateLimit(2)
  expect(await ask(limit, 1)).toEqual({ headers: { 'X-RateLimit-Limit': 2, 'X-RateLimit-Remaining': 1, 'X-RateLimit-Reset': 60 }, refusal: null })
  vi.advanceTimersByTime(20_000)
  expect(await ask(limit, 1)).toEqual({ headers: { 'X-RateLimit-Limit': 2, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 40 }, refusal: null })
})

test('past that it is refused until the minute is over', async () => {
  const limit = makeRateLimit(1)
  await ask(limit, 1)
  const { headers, refusal } = await ask(limit, 1)
  expect(headers).toEqual({ 'X-RateLimit-Limit': 1, 'X-RateLimit-Remaining': 0, 'X-RateLimit-Reset': 60 })
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ code: 'TOO_MANY_REQUESTS', headers: { 'Retry-After': '60' } })
  vi.advanceTimersByTime(59_000)
  expect((await ask(limit, 1)).refusal).toMatchObject({ headers: { 'Retry-After': '1' } })
  vi.advanceTimersByTime(1_001)
  expect((await ask(limit, 1)).refusal).toBeNull()
})

test('each token has a minute of its own', async () => {
  const limit = makeRateLimit(1)
  await ask(limit, 1)
  expect((await ask(limit, 2)).refusal).toBeNull()
  expect((await ask(limit, 1)).refusal).not.toBeNull()
})

test('a limit of 0 is none, and says nothing', async () => {
  const limit = makeRateLimit(0)
  for (let round = 0; round < 1000; round++) expect(await ask(limit, 1)).toEqual({ headers: {}, refusal: null })
})
