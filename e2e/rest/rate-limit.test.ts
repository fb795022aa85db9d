import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { ask, expectError } from './client.ts'

const limit = 6

let system: LocalSystem

beforeAll(async () => {
  system = await openLocalSystem({ env: { RATE_LIMIT_PER_MINUTE: String(limit) } })
})

afterAll(() => system.close())

const spent = 'The token has used up its requests for this minute'

function rateOf({ headers }: { headers: Record<string, unknown> }): (number | null)[] {
  return ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers[`x-ratelimit-${name}`]
    return value === undefined ? null : Number(value)
  })
}

test('every authenticated response states the limit, the remaining requests and the seconds to reset', async () => {
  const { token } = await system.makePartner({ scopes: ['deals:read'] })
  const calls = [
    'GET /api/deals',
    'GET /api/deals/1',
    'GET /api/deals?size=0',
    'GET /api/nothing',
    'PUT /api/deals',
    'GET /api/webhook',
  ]
  const statuses: number[] = []
  for (const [at, what] of calls.entries()) {
    const answer = await ask(system, what, { token })
    statuses.push(answer.status)
    const [most, remaining, reset] = rateOf(answer)
    expect({ what, most, remaining }).toEqual({ what, most: limit, remaining: limit - 1 - at })
    expect(reset).toBeGreaterThanOrEqual(1)
    expect(reset).toBeLessThanOrEqual(60)
  }
  expect(statuses).toEqual([200, 404, 400, 404, 405, 403])
})

test('304, 413 and 415 state the limit as well, and HEAD counts like GET', async () => {
  const { token } = await system.makePartner()
  const { headers } = await ask(system, 'GET /api/deals', { token })
  const answers = [
    await ask(system, 'GET /api/deals', { token, headers: { 'if-none-match': headers.etag! } }),
    await ask(system, 'POST /api/webhook', { token, body: '{}', headers: { 'content-type': 'text/plain' } }),
    await ask(system, 'POST /api/webhook', {
      token,
      body: ' '.repeat(1024 * 1024 + 1),
      headers: { 'content-type': 'application/json' },
    }),
    await ask(system, 'HEAD /api/deals', { token }),
  ]
  expect(answers.map((answer) => [answer.status, ...rateOf(answer).slice(0, 2)])).toEqual([
    [304, limit, 4],
    [415, limit, 3],
    [413, limit, 2],
    [200, limit, 1],
  ])
})

test('past the limit, every request is a 429 with Retry-After, while other tokens continue', async () => {
  const partner = await system.makePartner()
  const other = await system.makePartner()
  for (let at = 0; at < limit; at++)
    expect((await ask(system, 'GET /api/deals', { token: partner.token })).status).toBe(200)
  for (const what of [
    'GET /api/deals',
    'GET /api/deals?size=0',
    'GET /api/nothing',
    'DELETE /api/deals',
    'POST /api/webhook',
    'HEAD /api/deals',
  ]) {
    const answer = await ask(system, what, { token: partner.token, headers: { 'if-none-match': '*' } })
    if (what.startsWith('HEAD')) expect([answer.status, answer.text]).toEqual([429, ''])
    else expectError(answer, 429, 'TOO_MANY_REQUESTS', spent)
    const [most, remaining, reset] = rateOf(answer)
    expect([most, remaining]).toEqual([limit, 0])
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect(answer.headers['retry-after']).toBe(String(reset))
    expect(reset).toBeLessThanOrEqual(60)
  }
  expect(rateOf(await ask(system, 'GET /api/deals', { token: other.token })).slice(0, 2)).toEqual([
    limit,
    limit - 1,
  ])
  expect((await ask(system, 'GET /api/deals')).status).toBe(401)
})

test('rejected tokens, health checks and the document are not counted', async () => {
  for (const what of ['GET /api/deals', 'GET /api/openapi.json', 'GET /healthz', 'GET /readyz']) {
    for (let at = 0; at < limit + 2; at++) {
      const answer = await ask(system, what, { token: what === 'GET /api/deals' ? 'pd_wrong' : undefined })
      expect(answer.status).toBe(what === 'GET /api/deals' ? 401 : 200)
      expect(rateOf(answer)).toEqual([null, null, null])
    }
  }
})

test('a token has one limit across all URLs of the server', async ({ skip }) => {
  skip(
    !Object.values(networkInterfaces())
      .flat()
      .some((address) => address?.address === '::1'),
    'this machine has no IPv6',
  )
  const { token } = await system.makePartner()
  const overIpv6 = () =>
    new Promise<number>((resolve, reject) => {
      request(
        {
          host: '::1',
          port: new URL(system.url).port,
          path: '/api/deals',
          headers: { authorization: `Bearer ${token}` },
        },
        (response) => {
          response.resume().once('end', () => resolve(Number(response.headers['x-ratelimit-remaining'])))
        },
      )
        .once('error', reject)
        .end()
    })
  expect(rateOf(await ask(system, 'GET /api/deals', { token }))[1]).toBe(limit - 1)
  expect(await overIpv6()).toBe(limit - 2)
  expect(rateOf(await ask(system, 'GET /api/deals', { token }))[1]).toBe(limit - 3)
})
