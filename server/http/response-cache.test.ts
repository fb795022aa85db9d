import { expect, test } from 'vitest'
import type { TenantScope } from '../accounts/partner.ts'
import { type CachedResponse, type CacheKey, ResponseCache } from './response-cache.ts'

const asked: CacheKey = { call: 'deals.list /api/deals?page=1', tenant: 7 as TenantScope, coding: 'gzip' }

const answer = (revision: number | null, body: string | null = 'deals'): CachedResponse => ({
  headers: ['ETag', `W/"${revision}"`],
  etag: `W/"${revision}"`,
  unchanged: null,
  body: body === null ? null : Buffer.from(body),
  revision,
})

test('an answer is found by all that it was asked for, and at its revision alone', () => {
  const kept = new ResponseCache(1_000_000)
  const first = answer(3)
  kept.keep(asked, first)
  expect(kept.find(asked, 3)).toBe(first)
  for (const revision of [2, 4, null]) expect(kept.find(asked, revision)).toBeUndefined()
  for (const other of [
    { call: 'deals.list /api/deals?page=2' },
    { tenant: 8 as TenantScope },
    { coding: null },
  ])
    expect(kept.find({ ...asked, ...other }, 3)).toBeUndefined()
  kept.keep(asked, answer(4))
  expect(kept.find(asked, 3)).toBeUndefined()
})

test('a 304 is kept until there is an answer with a body, and does not take the place of one', () => {
  const kept = new ResponseCache(1_000_000)
  const [empty, whole] = [answer(3, null), answer(3)]
  kept.keep(asked, empty)
  expect(kept.find(asked, 3)).toBe(empty)
  kept.keep(asked, whole)
  kept.keep(asked, empty)
  expect(kept.find(asked, 3)).toBe(whole)
  const later = answer(4, null)
  kept.keep(asked, later)
  expect(kept.find(asked, 4)).toBe(later)
})

test('what shows no revision of a list is not kept, nor what is asked for at great length', () => {
  const kept = new ResponseCache(1_000_000)
  kept.keep(asked, answer(null))
  expect(kept.find(asked, null)).toBeUndefined()
  const long = { ...asked, call: `deals.list /api/deals?${'x'.repeat(1000)}` }
  kept.keep(long, answer(3))
  expect(kept.find(long, 3)).toBeUndefined()
})

test('the bodies together stay within the bytes that are allowed; those used last stay', () => {
  const kept = new ResponseCache(50_000)
  const at = (page: number) => ({ ...asked, call: `deals.list /api/deals?page=${page}` })
  for (let page = 1; page <= 10; page++) {
    kept.keep(at(page), answer(1, 'x'.repeat(9_000)))
    kept.find(at(1), 1)
  }
  const pages = Array.from({ length: 10 }, (_, index) => index + 1)
  expect(pages.filter((page) => kept.find(at(page), 1) !== undefined)).toEqual([1, 7, 8, 9, 10])
  const none = new ResponseCache(0)
  none.keep(asked, answer(1))
  expect(none.find(asked, 1)).toBeUndefined()
})
