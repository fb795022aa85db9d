import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { issueToken } from './issue-token.ts'
import { readDays, removeOldTokenDays, makeUsage } from './usage-store.ts'

const database = await openTestDatabase()
let id: number
let partnerId: PartnerId
const logged: string[] = []
const usage = () => makeUsage(database.db, pino({}, { write: (line) => void logged.push(line) }))

beforeEach(async () => {
  logged.length = 0
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
  ;({ id } = await issueToken(database.db, { partnerId, name: 'test', expiresAt: null }))
})
afterEach(() => void vi.useRealTimers())

const today = async (tokenId = id) => (await readDays(database.db, everyone, tokenId, 1))[0]!
const counts = async (tokenId = id) => {
  const { requests, errors } = await today(tokenId)
  return { requests, errors }
}

describe('the use of a token', () => {
  test('survives a clean stop, with errors counted from status 400 up', async () => {
    const counting = usage()
    for (const status of [200, 304, 400, 404, 429, 500, 399]) counting.count(id, status)
    await counting.stop()
    await counting.stop()
    expect(await counts()).toEqual({ requests: 7, errors: 4 })
  })

  test('is summed across processes that write concurrently', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () =>
        issueToken(database.db, { partnerId: null, name: 'test', expiresAt: null }),
      ),
    )
    const processes = [usage(), usage(), usage()]
    for (const [index, counting] of processes.entries()) {
      for (const token of index === 1 ? tokens.toReversed() : tokens)
        for (let round = 0; round < 5; round++) counting.count(token.id, round === 0 ? 401 : 200)
    }
    await Promise.all(processes.map((counting) => counting.stop()))
    expect(await Promise.all(tokens.map((token) => counts(token.id)))).toEqual(
      tokens.map(() => ({ requests: 15, errors: 3 })),
    )
  })

  test('is saved some time later, for the day (UTC) of the request', async () => {
    const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400_000
    vi.useFakeTimers({ now: midnight - 86_400_000 - 1, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const counting = usage()
    counting.count(id, 200)
    vi.setSystemTime(midnight - 86_400_000)
    counting.count(id, 200)
    counting.count(id, 500)
    vi.advanceTimersByTime(10_000)
    vi.useRealTimers()
    const expected = [
      { requests: 1, errors: 0 },
      { requests: 2, errors: 1 },
    ]
    await expect
      .poll(async () =>
        (await readDays(database.db, partnerId, id, 2)).map(({ requests, errors }) => ({ requests, errors })),
      )
      .toEqual(expected)
    await counting.stop()
  })

  test('is kept in memory while it cannot be saved', async () => {
    const counting = usage()
    counting.count(id, 200)
    await database.db.$client`alter table token_days rename to away`
    await counting.stop()
    expect(logged.join()).toContain('failed to persist token usage')
    await database.db.$client`alter table away rename to token_days`
    counting.count(id, 404)
    await counting.stop()
    expect(await counts()).toEqual({ requests: 2, errors: 1 })
  })

  test('of a deleted token blocks nothing', async () => {
    const counting = usage()
    counting.count(2_000_000_000, 200)
    counting.count(id, 200)
    await counting.stop()
    expect(await counts()).toEqual({ requests: 1, errors: 0 })
    expect(logged).toEqual([])
  })
})

test('is deleted only for days past retention', async () => {
  await database.db
    .$client`insert into token_days select ${id}, current_date - age, 1, 0 from generate_series(0, 2500) age`
  expect(await removeOldTokenDays(database.db, 400)).toBe(2100)
  const [left] = await database.db
    .$client`select count(*)::int as count, current_date - min(day) as oldest from token_days where token_id = ${id}`
  expect(left).toEqual({ count: 401, oldest: 400 })
})
