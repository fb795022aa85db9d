import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { loadLastRelease } from '#db/v1.1/load.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { renderOldDeals } from '#server/deals/render-old-store.ts'
import { renderDeal } from '#server/deals/render.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { makeOlder, olderJson } from './older-deals.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'

// The product on a database that version 1.1 has left behind.

const name = `v1_1_${crypto.randomUUID().replaceAll('-', '')}`
let neighbour: TestDatabase
let system: LocalSystem
let before: { id: string; json: string }[]
let token: string

beforeAll(async () => {
  neighbour = await createTestDatabase()
  await neighbour.db.$client.unsafe(`create database ${name} template template0`)
  const url = neighbour.url.replace(/[^/]+$/, name)
  await loadLastRelease(url)
  system = await openLocalSystem({ env: { DATABASE_URL: url, DATABASE_DIRECT_URL: url } })
  const [partner] = await system.db.$client<{ id: number }[]>`
    select partner_id as id from deals group by 1 order by count(*) desc limit 1`
  before = [
    ...(await system.db.$client<{ id: string; json: string }[]>`
      select deal.id, json from deals deal join deal_places place on deal_id = deal.id and list_id = ${partner!.id}
      order by position`),
  ]
  const order = { partnerId: partner!.id as PartnerId, name: 'test', expiresAt: null }
  token = (await issueToken(system.db, order)).token
})
afterAll(async () => {
  await system.close()
  await neighbour.db.$client.unsafe(`drop database ${name} with (force)`)
  await neighbour.drop()
})

const list = async () =>
  (await ask(system, 'GET /api/deals?size=25', { token })).json.deals as { id: number }[]

test('deals and events of the last release are readable through the API', async () => {
  expect(before.length).toBeGreaterThan(10)
  expect(await list()).toEqual(before.map(({ json }) => JSON.parse(json)))
  const [first] = before
  const deal = await ask(system, `GET /api/deals/${first!.id}`, { token })
  expect({ status: deal.status, text: deal.text }).toEqual({ status: 200, text: first!.json })
  const events = await ask(system, 'GET /api/events', { token })
  expect(events.status).toBe(200)
  expect(events.json.events.length).toBeGreaterThan(0)
})

test('deals of the last release are re-rendered without changing', async () => {
  const listed = await list()
  expect(await renderOldDeals(system.db)).toBeGreaterThanOrEqual(before.length)
  expect(await system.db.$client`select id from deals where stage_meaning is null`).toEqual([])
  expect(await list()).toEqual(listed)
})

test('a deal that an older version wrote with fewer fields gets all fields, and its list a new ETag', async () => {
  const added = ['permitCoordinator', 'battery', 'm2Approved', 'ntpApproved'] as const
  const record = { id: newIds(1)[0]!, dealname: 'Lopez, Ana', hasHoa: true } as DealRecord
  const partner = await system.makePartner({ deals: [record] })
  await makeOlder(system.db, partner.id, [...added])
  const [older, whole] = [olderJson(renderDeal(record), [...added]), renderDeal(record)]
  expect([...(await system.db.$client`select json from deals where id = ${String(record.id)}`)]).toEqual([
    { json: older },
  ])
  const read = (path: string, etag?: string) =>
    ask(system, `GET ${path}`, { token: partner.token, headers: { 'if-none-match': etag } })
  const olderTag = `W/"${hash('sha256', older, 'base64url').slice(0, 22)}"`
  expect(await read(`/api/deals/${record.id}`, olderTag)).toMatchObject({ status: 200, text: whole })
  const [events, before] = [await read('/api/events'), await read('/api/deals')]
  expect(before.text).toContain(whole)
  expect(await renderOldDeals(system.db)).toBe(1)
  const after = await read('/api/deals', before.headers.etag)
  expect([after.status, after.text]).toEqual([200, before.text])
  expect((await read('/api/events')).text).toBe(events.text)
})
