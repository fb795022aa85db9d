import { hash } from 'node:crypto'
import { expect, test } from '@playwright/test'
import type { DealRecord } from '#server/deals/deal.ts'
import { renderDeal, renderVersion } from '#server/deals/render.ts'
import { makeOlder, olderJson } from './older-deals.ts'
import { ask } from './rest/client.ts'
import { type RunningSystem, startSystem } from './system.ts'

// The product started on a database whose deals were written by an older version with fewer fields.

const systems: RunningSystem[] = []
test.afterAll(async () => {
  for (const system of systems) await system.dispose()
})

async function start(dataDir?: string): Promise<RunningSystem> {
  const system = await startSystem(dataDir === undefined ? {} : { dataDir })
  systems.push(system)
  return system
}

test('deals of an older version have all keys from the first request on, and are soon stored that way, without an event', async () => {
  test.setTimeout(240_000)
  const added = ['permitCoordinator', 'battery', 'm2Approved', 'ntpApproved'] as const
  const records = Array.from({ length: 400 }, (_, at): DealRecord => ({
    id: BigInt(at + 1),
    dealname: `Deal ${at}`,
    hasHoa: true,
    lastModified: '2026-02-03T10:00:00.000Z',
  }))
  const first = await start()
  const { id, token } = await first.makePartner({ deals: records })
  const events = (await ask(first, 'GET /api/events', { token })).text
  const list = await ask(first, 'GET /api/deals?size=25', { token })
  await makeOlder(first.db, id, [...added])
  const older = olderJson(renderDeal(records[0]!), [...added])
  expect([...(await first.db.$client`select json from deals where id = 1`)]).toEqual([{ json: older }])
  expect(await first.stop()).toBe(0)

  const second = await start(first.dataDir)
  const whole = records.map((record) => renderDeal(record))
  const held = `W/"${hash('sha256', older, 'base64url').slice(0, 22)}"`
  expect(await ask(second, 'GET /api/deals/1', { token, headers: { 'if-none-match': held } })).toMatchObject({
    status: 200,
    text: whole[0],
  })
  expect((await ask(second, 'GET /api/deals?size=25', { token })).text).toBe(list.text)

  const stored = () =>
    second.db.$client`select count(*)::integer as count from deals where render_version = ${renderVersion}`
  await expect.poll(async () => (await stored())[0]!['count'] as number, { timeout: 30_000 }).toBe(400)
  expect(
    (await second.db.$client<{ json: string }[]>`select json from deals order by id`).map(({ json }) => json),
  ).toEqual(whole)
  expect((await ask(second, 'GET /api/events', { token })).text).toBe(events)
  const { status, text, headers } = await ask(second, 'GET /api/deals?size=25', {
    token,
    headers: { 'if-none-match': list.headers.etag },
  })
  expect({ status, text }).toEqual({ status: 200, text: list.text })
  expect(headers.etag).not.toBe(list.headers.etag)
  await expect.poll(() => second.output()).toContain('re-rendered deals of an older version')
})
