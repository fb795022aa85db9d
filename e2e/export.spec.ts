import { writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { demoDeals } from '#db/demo/demo.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { followDeals } from '#server/notifications/store.ts'
import { expect, test } from './fixtures.ts'
import { carrySession, makeUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import type { RunningSystem } from './system.ts'

/** Creates a partner with these deals and signs a member in on the page. */
async function enterAs(page: Page, system: RunningSystem, records: Omit<DealRecord, 'id'>[]) {
  const user = await makeUser(system, { deals: records })
  await carrySession(page, user)
  return { ...user.partner, userId: user.id, dealIds: user.ids }
}

async function readFile(
  page: Page,
  search: string,
): Promise<{ rows: string[][]; text: string; headers: Record<string, string> }> {
  const response = await page.request.get(`/deals/export?${search}`)
  expect(response.status()).toBe(200)
  const text = await response.text()
  return { rows: parse(text, { bom: true, relax_column_count: false }), text, headers: response.headers() }
}

test('an exported file has the visible columns and the matching deals, in order', async ({
  page,
  system,
}) => {
  const { dealIds } = await enterAs(page, system, [
    {
      dealname: 'Small, "one"',
      amount: 5,
      streetAddress: '1 Palm Ln',
      city: 'Phoenix',
      hasBattery: true,
      notes: 'two\nlines',
    },
    { dealname: 'Zoë 😀', amount: 10, hasBattery: true },
    { dealname: 'No battery', amount: 1 },
  ])
  const { rows, text, headers } = await readFile(
    page,
    'yes=hasBattery&sort=-amount&columns=dealname,amount,notes',
  )
  expect(rows).toEqual([
    ['Deal', 'Full address', 'Amount', 'Notes', 'Deal ID'],
    ['Zoë 😀', '', '10', '', String(dealIds[1])],
    ['Small, "one"', '1 Palm Ln, Phoenix', '5', 'two\nlines', String(dealIds[0])],
  ])
  expect(text.startsWith('\uFEFF')).toBe(true)
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(headers['content-disposition']).toMatch(/^attachment; filename="Deals \d{4}-\d\d-\d\d\.csv"$/)
})

test('importing an unmodified export changes nothing and notifies nobody', async ({
  page,
  system,
}, testInfo) => {
  const deals = [...demoDeals({ partner: { slug: 'x', name: 'X' }, count: 60, firstId: 1n, now: new Date() })]
  const { id, slug, token, userId, dealIds } = await enterAs(page, system, [
    ...deals.map(({ id: _id, ...deal }) => deal),
    { dealname: '=1+1', notes: '-5, "x"\nand\ttabs', amount: 25_199.99, zipCode: '02134', hasHoa: false },
    {
      dealname: 'Zoë',
      state: 'Arizona',
      permitSubmitted: '2026-03-01T17:20:05.123Z',
      systemSize: '8.8 kW',
    },
  ])
  await system.db.transaction((tx) => followDeals(tx, id as PartnerId, userId, dealIds, true))
  const eventsOf = async () =>
    (await ask(system, 'GET /api/events?after=0&limit=1', { token })).json as { last: number }
  const before = await eventsOf()
  for (const search of [
    'all=1',
    'columns=dealname,stage,timeInCurrentStage,amount,owner,permitSubmitted,milestone,held,holder,payment,assignee',
  ]) {
    const { text } = await readFile(page, search)
    const path = testInfo.outputPath('deals.csv')
    await writeFile(path, text)
    const imported = await system.operator(['import', path, '--partner', slug])
    expect(imported).toMatchObject({
      code: 0,
      stdout: 'created 0, updated 0, unchanged 62, rejected 0\n',
      stderr: expect.not.stringMatching(/are ignored|is not read|no column is read/),
    })
  }
  expect(await eventsOf()).toEqual(before)
  // A notification about this change arrives after any notifications about the imports.
  const moved = { id: Number(dealIds.at(-1)), stage: 'Moved after the imports' }
  await system.operator(['import', '-', '--partner', slug], JSON.stringify(moved))
  const heard = () => system.db.$client`select kind from notifications where user_id = ${userId}`
  await expect.poll(heard, { timeout: 15_000 }).toEqual([{ kind: 'stage' }])
})

test('HEAD returns the headers of GET without an export; signed-out users get none', async ({
  page,
  system,
  request,
}) => {
  const partner = await enterAs(page, system, [{ dealname: 'Deal' }])
  const lasting = (headers: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(headers).filter(
        ([name]) =>
          !/^(?:date|x-request-id|content-security-policy|connection|keep-alive|transfer-encoding|content-encoding|vary)$/.test(
            name,
          ),
      ),
    )
  const head = await page.request.head('/deals/export?all=1')
  const exports = () =>
    system.db
      .$client`select from audit_entries where action = 'deals.exported' and partner_id = ${partner.id}`
  expect([head.status(), await head.text(), await exports()]).toEqual([200, '', []])
  const get = await page.request.get('/deals/export?all=1')
  expect(lasting(head.headers())).toEqual(lasting(get.headers()))
  expect(await exports()).toHaveLength(1)
  const refused = await request.get('/deals/export?all=1')
  expect([refused.status(), await refused.text()]).toEqual([401, 'Sign in first'])
})
