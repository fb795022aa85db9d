import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { type LocalSystem } from '../local-system.ts'
import type { TestPartner } from '../partners.ts'
import { ask, expectInvalid } from './client.ts'
import { bringIn, newDeals } from './deals.ts'
import { expect, test } from './rest-test.ts'

/** Sends a long-polling request for events. The result includes its duration. */
async function poll(system: LocalSystem, { token }: { token: string }, query: string, headers = {}) {
  const startedAt = performance.now()
  const answer = await ask(system, `GET /api/events?${query}`, { token, headers })
  const { status, text } = answer
  const ms = performance.now() - startedAt
  return { status, text, headers: answer.headers, json: status === 200 ? answer.json : null, ms }
}

const waitsOf = ({ live }: LocalSystem) => live.waits

/** Waits until this many requests are waiting for events. */
const untilWaiting = (system: LocalSystem, count: number) =>
  expect.poll(() => waitsOf(system).count, { timeout: 10_000 }).toBe(count)

const sequences = (json: any) => json.events.map(({ sequence }: { sequence: number }) => sequence)

test('responds immediately if there are events, otherwise with the first new event, or empty after the wait', async ({
  system,
}) => {
  const partner = await system.makePartner({ deals: newDeals(1) })
  const known = await poll(system, partner, 'wait=25')
  expect(sequences(known.json)).toEqual([1])
  expect(known.ms).toBeLessThan(20_000)
  const empty = await poll(system, partner, 'after=1&wait=1')
  expect(empty.text).toBe('{"events":[],"last":1,"next":1}')
  expect(empty.ms).toBeGreaterThan(950)
  const waiting = poll(system, partner, 'after=1&wait=25')
  await untilWaiting(system, 1)
  await bringIn(system, partner, newDeals(1))
  const { json, ms } = await waiting
  expect([sequences(json), json.last, json.next]).toEqual([[2], 2, 2])
  expect(ms).toBeLessThan(20_000)
  await untilWaiting(system, 0)
})

test("other partners' changes, and changes without an event, do not end a wait", async ({ system }) => {
  const [deal] = newDeals(1)
  const partner = await system.makePartner({ deals: [deal!] })
  const other = await system.makePartner()
  const waiting = poll(system, partner, 'after=1&wait=2')
  await untilWaiting(system, 1)
  await bringIn(system, other, newDeals(3))
  await bringIn(system, partner, [{ ...deal!, lastModified: '2026-03-01T00:00:00.000Z' }])
  const { json, ms } = await waiting
  expect(json.events).toEqual([])
  expect(ms).toBeGreaterThan(1900)
})

test('an event between a read and a wait is not missed', async ({ system }) => {
  const partner = await system.makePartner()
  const seen: number[] = []
  const following = (async () => {
    for (let after = 0; after < 60;) {
      const { json } = await poll(system, partner, `after=${after}&wait=25&limit=7`)
      seen.push(...sequences(json))
      after = json.next
    }
  })()
  for (let at = 0; at < 60; at++) {
    await bringIn(system, partner, newDeals(1))
    await sleep(at % 5)
  }
  await following
  expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
})

test('wait is a whole number up to 25; HEAD and an internal token never wait', async ({ system }) => {
  const partner = await system.makePartner()
  const digits = 'wait: must be a whole number in plain decimal digits'
  for (const [form, problem] of [
    ['26', 'wait: must be at most 25'],
    ['-1', digits],
    ['1.5', digits],
    ['', digits],
    ['1&wait=1', 'wait: must be given once'],
  ] as const)
    expectInvalid(await ask(system, `GET /api/events?wait=${form}`, { token: partner.token }), problem)
  const begun = vi.spyOn(waitsOf(system), 'begin')
  for (const query of ['wait=0', 'after=-1&wait=0'])
    expect((await poll(system, partner, query)).status).toBe(200)
  const head = await ask(system, 'HEAD /api/events?wait=25', { token: partner.token })
  expect([head.status, head.text]).toEqual([200, ''])
  const internal = await ask(system, 'GET /api/events?wait=25', { token: await system.makeInternalToken() })
  expect(internal.status).toBe(403)
  expect(begun).not.toHaveBeenCalled()
})

test('a fifth wait of a token ends its oldest; other tokens are unaffected', async ({ system }) => {
  const partner = await system.makePartner()
  const other = await system.makePartner()
  const ended: number[] = []
  const begin = async (index: number, who = partner) => {
    const before = waitsOf(system).count
    const waiting = poll(system, who, 'wait=25').then(({ text }) => {
      ended.push(index)
      return text
    })
    await untilWaiting(system, before + 1)
    return { waiting }
  }
  const first = await begin(1)
  const rest = [await begin(2), await begin(3), await begin(4)]
  rest.push(await begin(9, other))
  const fifth = poll(system, partner, 'wait=25')
  expect(await first.waiting).toBe('{"events":[],"last":0,"next":0}')
  expect(ended).toEqual([1])
  await untilWaiting(system, 5)
  await bringIn(system, partner, newDeals(1))
  await bringIn(system, other, newDeals(1))
  expect(sequences((await fifth).json)).toEqual([1])
  for (const { waiting } of rest) expect(await waiting).toContain('"sequence":1,')
})

test('a disconnecting client frees its wait; clients sharing its read still get their events', async ({
  system,
}) => {
  const partner = await system.makePartner()
  const leaving = request(`${system.url}/api/events?wait=25`, {
    headers: { authorization: `Bearer ${partner.token}` },
  })
  leaving.on('error', () => {}).end()
  await untilWaiting(system, 1)
  const staying = poll(system, partner, 'wait=25')
  await untilWaiting(system, 2)
  leaving.destroy()
  await untilWaiting(system, 1)
  await bringIn(system, partner, newDeals(1))
  expect(sequences((await staying).json)).toEqual([1])
})

test('a token revoked during its wait gets no event', async ({ system }) => {
  const partner = await system.makePartner()
  const waiting = ask(system, 'GET /api/events?wait=25', { token: partner.token })
  await untilWaiting(system, 1)
  await system.db.$client`update tokens set revoked_at = now() where partner_id = ${partner.id}`
  await bringIn(system, partner, newDeals(1))
  const { status, json } = await waiting
  expect([status, json.code]).toEqual([401, 'UNAUTHORIZED'])
})

test('an unchanged response after the wait is a 304, and a response with events is compressed', async ({
  system,
}) => {
  const partner = await system.makePartner()
  const { headers } = await poll(system, partner, '')
  const same = await poll(system, partner, 'wait=1', { 'if-none-match': headers.etag })
  expect([same.status, same.ms > 900]).toEqual([304, true])
  expect(Number(same.headers['x-ratelimit-remaining'])).toBeGreaterThan(0)
  const waiting = poll(system, partner, 'wait=25', { 'accept-encoding': 'gzip' })
  await untilWaiting(system, 1)
  await bringIn(system, partner, newDeals(20))
  expect((await waiting).headers['content-encoding']).toBe('gzip')
})

test('waiting requests of a partner share each read, and occupy no connection or slot', async ({
  system,
}) => {
  const partners: TestPartner[] = []
  for (let at = 0; at < 12; at++) partners.push(await system.makePartner())
  const waiting = partners.flatMap((partner) => [1, 2, 3, 4].map(() => poll(system, partner, 'wait=25')))
  await untilWaiting(system, 48)
  await expect.poll(() => system.services.admission.requests.running).toBe(0)
  const readBusy = async () => {
    const [{ busy }] = await system.db.$client<[{ busy: number }]>`
      select count(*)::integer as busy from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`
    return busy
  }
  await expect.poll(readBusy).toBe(0)
  await bringIn(system, partners[0]!, newDeals(1))
  for (const answer of await Promise.all(waiting.slice(0, 4))) expect(sequences(answer.json)).toEqual([1])
  await untilWaiting(system, 44)
  waitsOf(system).listen(false)
  for (const { text } of await Promise.all(waiting.slice(4)))
    expect(text).toBe('{"events":[],"last":0,"next":0}')
  expect((await poll(system, partners[0]!, 'after=1&wait=25')).ms).toBeLessThan(20_000)
  waitsOf(system).listen(true)
})
