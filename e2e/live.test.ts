import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashText } from '#server/accounts/user.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import { noChanges } from '#server/live/change.ts'
import { notifyChanges } from '#server/live/store.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type OpenStream, openStream } from './streams.ts'
import type { TestPartner } from './system.ts'

// Live changes of open pages, tested over HTTP.

let system: LocalSystem
const opened: OpenStream[] = []

beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(async () => {
  for (const stream of opened) stream.close()
  await system.close()
})

const listen = async (cookie: string, path = '/live', events = ['ready']) => {
  const stream = await openStream(system, cookie, path)
  opened.push(stream)
  await vi.waitFor(() => expect(stream.events).toEqual(events))
  return stream
}
const cookieOf = ({ id }: TestPartner) => signedInUser(system, 'member', id)
const soon = { timeout: 2000, interval: 20 }
const settled = () => new Promise((resolve) => void setTimeout(resolve, 1500))

describe.concurrent('a live stream', () => {
  test('reports new, changed and deleted deals within two seconds', async () => {
    const acme = await system.makePartner()
    const stream = await listen(await cookieOf(acme))
    const [deal] = newDeals(1)
    const ids = [String(deal!.id)]
    await bringIn(system, acme, [deal!])
    await vi.waitFor(
      () => expect(stream.messages.map(({ deals }) => deals)).toEqual([{ [acme.id]: ids }]),
      soon,
    )
    await bringIn(system, acme, [{ ...deal!, stage: 'Permit Submitted' }])
    await vi.waitFor(() => expect(stream.messages).toHaveLength(2), soon)
    await deleteDeal(system.db, deal!.id)
    await vi.waitFor(() => expect(stream.messages.at(2)?.deals).toEqual({ [acme.id]: ids }), soon)
  })

  test('first reports what changed within the age of the page', async () => {
    const [acme, other] = [await system.makePartner(), await system.makePartner()]
    const startedAt = Date.now()
    await bringIn(system, acme, newDeals(1))
    await notifyChanges(system.db.$client, { ...noChanges(), messages: new Set([acme.id, other.id]) })
    const missedBy = async (partner: TestPartner, path: string, events = ['ready']) =>
      (await listen(await cookieOf(partner), path, events)).messages
    const path = () => `/live?age=${Date.now() - startedAt}`
    const missed = { deals: { [acme.id]: null }, deliveries: [], messages: [acme.id] }
    await vi.waitFor(async () => expect(await missedBy(acme, path())).toEqual([missed]), soon)
    const missedByOther = { deals: {}, deliveries: [], messages: [other.id] }
    expect(await missedBy(other, path())).toEqual([missedByOther])
    expect(await missedBy(acme, '/live?age=61000', ['stale', 'ready'])).toEqual([])
    for (const query of ['age=0', 'age=', 'age=-9000', 'age=9e3', 'ages=9000', 'age=%00', 'age=1#&age=9000'])
      expect(await missedBy(acme, `/live?${query}`), query).toEqual([])
    expect(await missedBy(acme, 'http://[/live?age=0')).toEqual([])
  })

  test('reports nothing when nothing has changed', async () => {
    const acme = await system.makePartner()
    const stream = await listen(await cookieOf(acme))
    const deals = newDeals(2)
    await bringIn(system, acme, deals)
    await vi.waitFor(() => expect(stream.messages).toHaveLength(1), soon)
    await bringIn(system, acme, deals)
    await settled()
    expect(stream.messages).toHaveLength(1)
  })

  test("reveals nothing about other partners' deals; operators see all", async () => {
    const [acme, other] = [await system.makePartner(), await system.makePartner()]
    const [own, foreign, operator] = [
      await listen(await cookieOf(acme)),
      await listen(await cookieOf(other)),
      await listen(await signedInUser(system, 'operator', null)),
    ]
    const [mine, nobodys] = newDeals(2)
    await bringIn(system, acme, [mine!])
    await bringIn(system, null, [nobodys!])
    await vi.waitFor(
      () =>
        expect(Object.assign({}, ...operator.messages.map(({ deals }) => deals))).toMatchObject({
          [acme.id]: [String(mine!.id)],
          0: [String(nobodys!.id)],
        }),
      soon,
    )
    expect(own.messages).toEqual([{ deals: { [acme.id]: [String(mine!.id)] }, deliveries: [] }])
    await bringIn(system, other, [mine!])
    await vi.waitFor(() => expect(foreign.messages).toHaveLength(1), soon)
    await vi.waitFor(() => expect(own.messages).toHaveLength(2), soon)
    expect(JSON.stringify([own.messages, foreign.messages])).not.toContain(String(nobodys!.id))
    expect(JSON.stringify(own.messages)).not.toContain(`"${other.id}"`)
  })

  test('reports bulk changes at most once a second, with at most 50 deal ids', async () => {
    const acme = await system.makePartner()
    const stream = await listen(await cookieOf(acme))
    await bringIn(system, acme, newDeals(60))
    await vi.waitFor(
      () => expect(stream.messages).toEqual([{ deals: { [acme.id]: null }, deliveries: [] }]),
      soon,
    )
    const startedAt = performance.now()
    while (performance.now() - startedAt < 2500) await bringIn(system, acme, newDeals(1))
    await settled()
    expect(stream.messages.length).toBeGreaterThanOrEqual(3)
    expect(stream.messages.length).toBeLessThanOrEqual(5)
  })

  test('sends one notification per batch of an import', async () => {
    const [acme, other] = [await system.makePartner(), await system.makePartner()]
    const { $client } = system.db
    const heard: string[] = []
    const { unlisten } = await $client.listen('live', (payload) => void heard.push(payload))
    await bringIn(system, acme, newDeals(250))
    await bringIn(system, other, newDeals(3))
    const ours = () =>
      heard.filter((payload) => payload.includes(`"${acme.id}":`) || payload.includes(`"${other.id}":`))
    await vi.waitFor(() => expect(ours()).toHaveLength(2), soon)
    await unlisten()
  })

  test('requires a signed-in user and GET', async () => {
    const acme = await system.makePartner()
    const cookie = await cookieOf(acme)
    expect((await ask(system, 'GET /live')).status).toBe(401)
    expect((await ask(system, 'GET /live', { headers: { cookie: 'partner-deals.session=x' } })).status).toBe(
      401,
    )
    expect((await ask(system, 'GET /live', { token: acme.token })).status).toBe(401)
    const posted = await ask(system, 'POST /live', { headers: { cookie } })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
    const head = await ask(system, 'HEAD /live', { headers: { cookie } })
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/event-stream; charset=utf-8',
    ])
    expect(head.headers).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
  })

  test.each(['signs out', 'gets another role'])('ends within seconds when its user %s', async (what) => {
    const acme = await system.makePartner()
    const cookie = await cookieOf(acme)
    const stream = await listen(cookie)
    const user = sql`(select user_id from sessions where hash = ${hashText(cookie.split('=')[1]!)})`
    await system.db.execute(
      what === 'signs out'
        ? sql`delete from sessions where user_id = ${user}`
        : sql`update users set role = 'admin' where id = ${user}`,
    )
    await vi.waitFor(() => expect(stream.isEnded()).toBe(true), { timeout: 5000, interval: 50 })
  })

  test("ends within seconds after its user's partner is suspended", async () => {
    const partner = await system.makePartner()
    const stream = await listen(await cookieOf(partner))
    await system.db.execute(sql`update partners set suspended_at = now() where id = ${partner.id}`)
    await vi.waitFor(() => expect(stream.isEnded()).toBe(true), { timeout: 5000, interval: 50 })
  })

  test('allows eight streams per user, and closes the oldest with a reason', async () => {
    const acme = await system.makePartner()
    const cookie = await cookieOf(acme)
    const streams: OpenStream[] = []
    for (let count = 0; count < 9; count++) streams.push(await listen(cookie))
    await vi.waitFor(() => expect(streams[0]!.isEnded()).toBe(true), soon)
    expect(streams[0]!.events).toEqual(['ready', 'full'])
    expect(streams.slice(1).some((stream) => stream.isEnded())).toBe(false)
  })
})

test('writes one log line, at its end', async () => {
  const acme = await system.makePartner()
  await settled()
  const lines = () =>
    system
      .output()
      .split('\n')
      .filter((line) => line.includes('"path":"/live"')).length
  const before = lines()
  const stream = await listen(await cookieOf(acme))
  await bringIn(system, acme, newDeals(1))
  await vi.waitFor(() => expect(stream.messages).toHaveLength(1), soon)
  expect(lines()).toBe(before)
  stream.close()
  await vi.waitFor(() => expect(lines()).toBe(before + 1), soon)
})

test('all streams share one database connection, which is reopened when lost', async () => {
  const acme = await system.makePartner()
  const listening = () => system.db.$client<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'partner-deals live'`
  const cookies = await Promise.all(Array.from({ length: 30 }, () => cookieOf(acme)))
  const streams = await Promise.all(cookies.map((cookie) => listen(cookie)))
  const connections = await listening()
  expect(connections.length).toBe(1)
  await system.db.execute(sql`select pg_terminate_backend(${connections[0]!.pid})`)
  await vi.waitFor(() => expect(streams.every((stream) => stream.isEnded())).toBe(true), soon)
  await vi.waitFor(async () => {
    const again = await openStream(system, cookies[0])
    opened.push(again)
    expect(again.status).toBe(200)
  }, soon)
})
