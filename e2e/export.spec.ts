import { writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { demoDeals } from '#db/demo/demo.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { followDeals } from '#server/notifications/store.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { carrySession } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { dealKeys } from './rest/interface.ts'
import type { RunningSystem } from './system.ts'

let lastId = BigInt(Date.now()) * 1000n

/** Returns a member of a new partner with these deals, signed in on the page. */
async function enterAs(page: Page, system: RunningSystem, records: Omit<DealRecord, 'id'>[]) {
  const deals = records.map((record) => ({ ...record, id: ++lastId }))
  const partner = await system.makePartner({ deals })
  const access = { email: `robin@${partner.slug}.example`, password: 'a long enough password' }
  const user = await createUser(system.db, {
    ...access,
    name: 'Robin Vale',
    role: 'member',
    partnerId: partner.id,
  })
  await carrySession(page, access)
  return { ...partner, userId: user.id, dealIds: deals.map(({ id }) => id) }
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

test('the file has the visible columns and the matching deals, in order', async ({ page, system }) => {
  await enterAs(page, system, [
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
    ['Zoë 😀', '', '10', '', String(lastId - 1n)],
    ['Small, "one"', '1 Palm Ln, Phoenix', '5', 'two\nlines', String(lastId - 2n)],
  ])
  expect(text.startsWith('\uFEFF')).toBe(true)
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(headers['content-disposition']).toMatch(/^attachment; filename="Deals \d{4}-\d\d-\d\d\.csv"$/)
})

test('with all columns it has all fields of every deal', async ({ page, system }) => {
  await enterAs(
    page,
    system,
    Array.from({ length: 700 }, (_, index) => ({ dealname: `Deal ${index}` })),
  )
  const { rows } = await readFile(page, 'all=1')
  expect(rows).toHaveLength(701)
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([dealKeys.length]))
  expect(new Set(rows.slice(1).map((row) => row.join('\0'))).size).toBe(700)
})

test('an export that is imported untouched changes nothing, and nobody hears of it', async ({
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
  // What is heard of a change afterwards comes after all that would have been heard of the imports.
  const moved = { id: Number(dealIds.at(-1)), stage: 'Moved after the imports' }
  await system.operator(['import', '-', '--partner', slug], JSON.stringify(moved))
  const heard = () => system.db.$client`select kind from notifications where user_id = ${userId}`
  await expect.poll(heard, { timeout: 15_000 }).toEqual([{ kind: 'stage' }])
})

test('no cell is read as a formula by a spreadsheet', async ({ page, system }) => {
  const formulas = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']
  await enterAs(
    page,
    system,
    formulas.map((text) => ({
      dealname: text,
      firstName: text,
      notes: text,
      primaryPhone: text,
      owner: { id: 1n, firstName: text } as never,
    })),
  )
  for (const search of ['all=1', 'columns=dealname,notes,owner']) {
    const { rows } = await readFile(page, search)
    expect(rows).toHaveLength(formulas.length + 1)
    expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  }
})

test('contains nothing of another partner, whatever the URL, and nothing when signed out', async ({
  page,
  system,
  request,
}) => {
  const other = await system.makePartner({ deals: [{ id: ++lastId, dealname: 'Secret' }] })
  await enterAs(page, system, [])
  for (const search of ['all=1', 'q=secret']) expect((await readFile(page, search)).rows).toHaveLength(1)
  for (const slug of [other.slug, 'nobody', '']) {
    const ofAnother = await page.request.get(`/deals/export?all=1&partner=${slug}`)
    expect([ofAnother.status(), await ofAnother.text()]).toEqual([
      403,
      'This page belongs to another partner',
    ])
  }
  const refused = await request.get('/deals/export?all=1')
  expect(refused.status()).toBe(401)
  expect(await refused.text()).toBe('Sign in first')
  expect((await request.head('/deals/export?all=1')).status()).toBe(401)
})

test('HEAD has the headers of GET and starts no export', async ({ page, system }) => {
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
})

test('an aborted export frees its slot', async ({ page, system, baseURL }) => {
  await enterAs(
    page,
    system,
    Array.from({ length: 3000 }, (_, index) => ({ dealname: `Deal ${index}`, notes: 'x'.repeat(2000) })),
  )
  const headers = {
    Cookie: (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
  }
  for (let turn = 0; turn < 6; turn++) {
    const leave = new AbortController()
    const response = await fetch(`${baseURL}/deals/export?all=1`, { headers, signal: leave.signal })
    // The previous one may still be closing.
    if (response.status === 429)
      await expect.poll(async () => (await page.request.get('/deals/export?q=none')).status()).toBe(200)
    else await response.body!.getReader().read()
    leave.abort()
  }
  await expect.poll(async () => (await page.request.get('/deals/export?q=none')).status()).toBe(200)
})
