import { expect, test } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import { type CachedResponse, type CacheKey, ResponseCache } from './rest-answer.ts'

const key: CacheKey = { call: 'deals.list /api/deals?page=1', tenant: 7 as TenantScope, coding: 'gzip' }

const answer = (revision: number | null, body: string | null = 'deals'): CachedResponse => ({
  status: body === null ? 304 : 200,
  headers: { ETag: `W/"${revision}"` },
  etag: `W/"${revision}"`,
  unchanged: null,
  body: body === null ? null : Buffer.from(body),
  revision,
})

test('finds a response by its complete key and revision', () => {
  const cache = new ResponseCache(1_000_000)
  const first = answer(3)
  cache.keep(key, first)
  expect(cache.find(key, 3)).toBe(first)
  for (const revision of [2, 4, null]) expect(cache.find(key, revision)).toBeUndefined()
  for (const other of [
    { call: 'deals.list /api/deals?page=2' },
    { tenant: 8 as TenantScope },
    { coding: null },
  ])
    expect(cache.find({ ...key, ...other }, 3)).toBeUndefined()
  cache.keep(key, answer(4))
  expect(cache.find(key, 3)).toBeUndefined()
})

test('caches a 304, but never in place of a response with a body', () => {
  const cache = new ResponseCache(1_000_000)
  const [empty, whole] = [answer(3, null), answer(3)]
  cache.keep(key, empty)
  expect(cache.find(key, 3)).toBe(empty)
  cache.keep(key, whole)
  cache.keep(key, empty)
  expect(cache.find(key, 3)).toBe(whole)
  const later = answer(4, null)
  cache.keep(key, later)
  expect(cache.find(key, 4)).toBe(later)
})

test('does not cache responses without a list revision or with too long a key', () => {
  const cache = new ResponseCache(1_000_000)
  cache.keep(key, answer(null))
  expect(cache.find(key, null)).toBeUndefined()
  const long = { ...key, call: `deals.list /api/deals?${'x'.repeat(1000)}` }
  cache.keep(long, answer(3))
  expect(cache.find(long, 3)).toBeUndefined()
})

test('keeps the most recently used responses within the byte limit', () => {
  const cache = new ResponseCache(50_000)
  const at = (page: number) => ({ ...key, call: `deals.list /api/deals?page=${page}` })
  for (let page = 1; page <= 10; page++) {
    cache.keep(at(page), answer(1, 'x'.repeat(9_000)))
    cache.find(at(1), 1)
  }
  const pages = Array.from({ length: 10 }, (_, index) => index + 1)
  expect(pages.filter((page) => cache.find(at(page), 1) !== undefined)).toEqual([1, 7, 8, 9, 10])
  const none = new ResponseCache(0)
  none.keep(key, answer(1))
  expect(none.find(key, 1)).toBeUndefined()
})
