import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Api, Refused } from './api.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** Starts a portal that gives these answers, one for each request, and counts its requests. */
async function portal(...answers: Answer[]) {
  const seen: { url: string; at: number; token: string | undefined }[] = []
  const server = createServer((request, response) => {
    const { url, headers } = request
    seen.push({ url: url!, at: performance.now(), token: headers.authorization })
    answers[Math.min(seen.length, answers.length) - 1]!(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = new AbortController()
  const lines: string[] = []
  const api = new Api({
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'pd_x',
    signal: stop.signal,
    log: (line) => lines.push(line),
  })
  return {
    api,
    seen,
    stop,
    lines,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

const page = { deals: [], next: null }
const limited = answer(429, { message: 'Too many requests' }, { 'retry-after': '1' })

describe('a request', () => {
  test('waits as long as a limited answer says, however often', async () => {
    using it = await portal(limited, limited, limited, answer(200, page))
    expect(await it.api.search()).toEqual(page)
    expect(it.seen).toHaveLength(4)
    expect(it.seen[3]!.at - it.seen[0]!.at).toBeGreaterThan(2900)
    expect(it.lines[0]).toContain('429 Too many requests; next try in 1 s')
  })

  test('waits until the date of a limited answer, and an hour at most', async () => {
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()
    using it = await portal(
      answer(429, {}, { 'retry-after': inSeconds(3) }),
      answer(429, {}, { 'retry-after': '9'.repeat(20) }),
    )
    const search = it.api.search().catch(() => {})
    await expect.poll(() => it.lines.length, { timeout: 30_000 }).toBe(2)
    expect(it.seen[1]!.at - it.seen[0]!.at).toBeGreaterThan(1900)
    expect(it.lines[1]).toContain('next try in 3600 s')
    it.stop.abort()
    await search
  })

  test('reads no answer without end', async () => {
    const bomb = gzipSync(Buffer.alloc(2 ** 27, ' '))
    using it = await portal((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const search = it.api.search().catch(() => {})
    await expect.poll(() => it.lines[0], { timeout: 30_000 }).toContain('the answer is longer than')
    it.stop.abort()
    await search
  })

  test('is repeated after a failure, a lost connection and an answer that is not JSON', async () => {
    const lost: Answer = (response) => response.destroy()
    using it = await portal(lost, answer(200, '<html>'), answer(200, page))
    expect(await it.api.search()).toEqual(page)
    using failing = await portal(answer(503, { message: 'Unavailable' }, { 'retry-after': '0' }))
    await expect(failing.api.search()).rejects.toThrow('/api/deals/search: 503 Unavailable')
    expect(failing.seen).toHaveLength(9)
  })

  test('is not repeated when it is refused, and follows no redirect, which would carry the token away', async () => {
    using it = await portal(answer(403, { message: 'Forbidden', errors: ['scope: deals:read'] }))
    await expect(it.api.search()).rejects.toThrow(Refused)
    expect(it.seen).toHaveLength(1)
    using moved = await portal(answer(308, '', { location: 'https://elsewhere.example/' }))
    await expect(moved.api.search()).rejects.toThrow('redirects to https://elsewhere.example/')
  })

  test('ends at once when the run is stopped, also while it waits', async () => {
    using it = await portal(answer(429, {}, { 'retry-after': '3600' }))
    const call = it.api.search()
    setTimeout(() => it.stop.abort(new Error('stopped')), 200)
    await expect(call).rejects.toThrow('stopped')
  })
})

test.each([{}, { deals: null, next: null }, { deals: [] }, { message: 'busy' }])(
  'an answer such as %j is no end of the deals',
  async (body) => {
    using it = await portal(answer(200, body))
    await expect(it.api.search()).rejects.toThrow('not a page of deals')
  },
)

test('a deal that does not exist is null', async () => {
  using it = await portal(answer(404, { message: 'Not found' }))
  expect(await it.api.deal('9007199254740993')).toBeNull()
  expect(it.seen[0]).toMatchObject({ url: '/api/deals/9007199254740993', token: 'Bearer pd_x' })
})
