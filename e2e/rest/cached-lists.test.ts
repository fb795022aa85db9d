import { issueToken } from '#server/tokens/issue-token.ts'
import { type Answer, ask } from './client.ts'
import { bringIn, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

const ofItsOwn = new Set(['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

/**
 * Returns the parts of a response that a client sees, except for the time, request ID and remaining rate
 * limit.
 */
const seen = ({ status, headers, text }: Answer) => {
  const same = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofItsOwn.has(name)))
  return { status, same, text }
}

test('an unchanged page is the same plain, compressed and as a 304; a changed deal appears immediately', async ({
  system,
}) => {
  const deals = newDeals(4)
  const partner = await system.makePartner({ deals })
  const { token } = partner
  const target = '/api/deals?page=2&size=2'
  for (const round of [1, 2, 3]) {
    for (const encoding of [undefined, 'gzip', 'zstd']) {
      const headers = { 'accept-encoding': encoding }
      const first = await ask(system, `GET ${target}`, { token, headers })
      const again = await ask(system, `GET ${target}`, { token, headers })
      expect(seen(again)).toEqual(seen(first))
      expect(first.headers.link).toContain('rel="prev"')
      expect(first.json.deals.map(({ id }: { id: number }) => id)).toEqual(
        deals.slice(2).map(({ id }) => Number(id)),
      )
      expect(first.json.deals[0].dealname).toBe(round === 1 ? `Deal ${deals[2]!.id}` : `Changed ${round}`)
      const head = await ask(system, `HEAD ${target}`, { token, headers })
      expect({ ...seen(head), text: first.text }).toEqual(seen(first))
      const condition = { 'if-none-match': first.headers.etag }
      for (const method of ['GET', 'HEAD', 'GET']) {
        const unchanged = await ask(system, `${method} ${target}`, {
          token,
          headers: { ...headers, ...condition },
        })
        expect({ status: unchanged.status, text: unchanged.text, etag: unchanged.headers.etag }).toEqual({
          status: 304,
          text: '',
          etag: first.headers.etag,
        })
      }
    }
    await bringIn(system, partner, [{ ...deals[2]!, dealname: `Changed ${round + 1}` }])
  }
})

test('a cached page is served only to authorized callers', async ({ system }) => {
  const [mine, yours] = await Promise.all([1, 2].map(() => system.makePartner({ deals: newDeals(2) })))
  const own = await ask(system, 'GET /api/deals', { token: mine!.token })
  const other = await ask(system, 'GET /api/deals', { token: yours!.token })
  expect(other.text).not.toBe(own.text)
  const { token: blind } = await issueToken(system.services.db, {
    partnerId: mine!.id,
    name: 'files only',
    expiresAt: null,
    scopes: ['files:read'],
  })
  for (const etag of [undefined, own.headers.etag]) {
    const refused = await ask(system, 'GET /api/deals', { token: blind, headers: { 'if-none-match': etag } })
    expect(refused.status).toBe(403)
  }
  const internal = await system.makeInternalToken()
  const all = await ask(system, 'GET /api/deals?size=1', { token: internal })
  const narrowed = await ask(system, `GET /api/deals?size=1&partner=${mine!.slug}`, { token: internal })
  expect(all.json.count).toBeGreaterThan(narrowed.json.count)
  expect(narrowed.json.count).toBe(2)
  await bringIn(system, mine!, newDeals(1))
  const grown = await ask(system, `GET /api/deals?size=1&partner=${mine!.slug}`, { token: internal })
  expect(grown.json.count).toBe(3)
})

test('repeated reads of events are served from memory; a new event appears immediately', async ({
  system,
}) => {
  const deals = newDeals(2)
  const partner = await system.makePartner({ deals })
  const { token } = partner
  for (const round of [1, 2]) {
    const first = await ask(system, 'GET /api/events', { token })
    expect(first.json.events).toHaveLength(round + 1)
    expect(first.json.last).toBe(round + 1)
    const latest = await ask(system, `GET /api/events?after=${first.json.last}`, { token })
    expect(latest.json).toEqual({
      events: [],
      last: first.json.last,
      next: first.json.last,
    })
    await system.services.db.$client.begin(async (sql) => {
      await sql`lock table events in access exclusive mode`
      expect(seen(await ask(system, 'GET /api/events', { token }))).toEqual(seen(first))
      const again = await ask(system, `GET /api/events?after=${first.json.last}`, { token })
      expect(seen(again)).toEqual(seen(latest))
      const held = { 'if-none-match': first.headers.etag }
      expect((await ask(system, 'GET /api/events', { token, headers: held })).status).toBe(304)
    })
    await bringIn(system, partner, [{ ...deals[0]!, dealname: `Changed ${round}` }])
  }
})
