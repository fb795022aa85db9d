import type { Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { expect, test } from './fixtures.ts'
import { enter, hostileTexts, makeUser, violations, watch } from './portal-user.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type RunningSystem } from './system.ts'

// The pages of deliveries and the audit log, with real deliveries to a real receiver.

let receiver: Receiver
test.beforeAll(async () => {
  receiver = await startReceiver()
})
test.afterAll(() => receiver.close())
test.beforeEach(() => {
  receiver.answer = () => 200
  receiver.requests.length = 0
})

/** Signs in as an admin of a partner whose first event was delivered and whose second event failed. */
async function enterWithHistory(page: Page, system: RunningSystem) {
  const partner = await system.makePartner()
  await ask(system, 'POST /api/webhook', {
    token: partner.token,
    json: { createURL: `${receiver.url}/created`, updateURL: `${receiver.url}/updated` },
  })
  receiver.answer = ({ sequence }, response) =>
    sequence === 2 ? void response.writeHead(500).end(hostileTexts[0]) : 200
  const deals = newDeals(2)
  deals[1]!['dealname'] = 'Hale, Juniper - 9.1 kW'
  await bringIn(system, partner, deals)
  await expect
    .poll(
      async () =>
        (
          await system.db
            .$client`select from attempts join deliveries on id = delivery_id where partner_id = ${partner.id}`
        ).length,
    )
    .toBe(2)
  await system.db
    .$client`update deliveries set state = 'failed', due_at = null, finished_at = now() where partner_id = ${partner.id} and sequence = 2`
  receiver.answer = () => 200
  const access = await makeUser(system, { role: 'admin', name: 'Dana', partner })
  await enter(page, access, '/deliveries')
  return { ...partner, deals, access }
}

const rows = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row')

test('an admin finds a delivery that failed, reads its attempts, and retries or resends it', async ({
  page,
  system,
}) => {
  const seen = watch(page)
  const { id, deals } = await enterWithHistory(page, system)
  await test.step('A failed delivery is found, shows its attempts, and is resent', async () => {
    await expect(rows(page)).toHaveCount(3)

    await page.getByLabel('Status').selectOption('failed')
    await expect(rows(page)).toHaveCount(2)
    await expect(page).toHaveURL(/state=failed/)
    await page.getByLabel('Status').selectOption('')
    await expect(rows(page).filter({ hasText: '#2' })).toContainText('Hale, Juniper')
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('Nobody at all')
    await expect(page.getByText('No matching deliveries')).toBeVisible()
    for (const [text, shown] of [
      [String(deals[0]!.id), '#1'],
      ['500', '#2'],
      ['Hale, Juniper', '#2'],
    ] as const) {
      await search.fill(text)
      await expect(rows(page)).toHaveCount(2)
      await expect(rows(page).nth(1)).toContainText(shown)
    }
    await expect(page).toHaveURL(/q=Hale/)
    await search.fill('')
    // Writing the search to the URL would cancel a navigation that began within the same 50 ms.
    await expect(page).not.toHaveURL(/q=/)
    await page.getByRole('link', { name: 'deal.created #2' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('deal.created #2')
    await expect(page.getByText('Failed after 1 attempt. You can resend it.')).toBeVisible()
    const sent = receiver.requests.find(({ sequence }) => sequence === 2)!
    for (const text of [
      `POST ${receiver.url}/created`,
      `webhook-signature: ${String(sent.headers['webhook-signature'])}`,
      'Status 500',
      hostileTexts[0]!,
      `"id": ${deals[1]!.id}`,
    ])
      await expect(page.getByRole('main')).toContainText(text)
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await page.getByRole('button', { name: 'Resend' }).click()
    await expect(page.getByText('Delivered after 2 attempts.')).toBeVisible()
    await page.goto('/deliveries')
    await expect(rows(page)).toHaveCount(3)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })
  await page.setViewportSize({ width: 1280, height: 720 })
  await test.step('A failing delivery shows the reason and the next attempt, and is retried on request', async () => {
    await system.db.$client`
      update deliveries set state = 'waiting', step = 1, last_status = 500, due_at = now() + interval '2 hours', finished_at = null
      where partner_id = ${id} and sequence = 2`
    await page.reload()
    await expect(rows(page).filter({ hasText: '#2' })).toContainText(/Retrying.*· next in 2 hours/)
    await page.getByLabel('Status').selectOption('waiting')
    await expect(page.getByText('No matching deliveries')).toBeVisible()
    await page.getByLabel('Status').selectOption('retrying')
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('link', { name: 'deal.created #2' }).click()
    await expect(page.getByText('2 attempts so far. Next attempt in 2 hours.')).toBeVisible()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await expect(page.getByText('Delivered after 3 attempts.')).toBeVisible()
  })
  expect(seen).toEqual([])
})

test('failed deliveries are counted before they are resent; the audit log and its CSV show it', async ({
  page,
  system,
}) => {
  const { id, access } = await enterWithHistory(page, system)
  const retry = page.getByRole('button', { name: 'Retry all now' })
  await page.getByLabel('Status').selectOption('delivered')
  await expect(retry).toBeDisabled()
  await page.getByLabel('Status').selectOption('retrying')
  await retry.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toHaveText('No retrying deliveries match the filters.')
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByLabel('Status').selectOption('')
  await retry.press('Enter')
  await expect(dialog.getByRole('heading')).toHaveText('Retry 1 delivery now?')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Retry' }).press('Enter')
  await expect(page.getByText('Retrying 1 delivery.')).toBeVisible()
  await expect
    .poll(() => receiver.accepted.filter(({ sequence }) => sequence === 2).length)
    .toBeGreaterThan(0)

  await system.db
    .$client`insert into audit_entries (partner_id, action, subject, who, address) values (${id}, 'token.created', ${hostileTexts[0]!}, '=1+1', '203.0.113.9')`
  await page.goto('/audit')
  const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await expect(entries.nth(1)).toContainText(`Created a token: ${hostileTexts[0]}`)
  await expect(entries.nth(2)).toContainText('1 failed or retrying')
  await expect(entries.nth(2)).toContainText(access.email)
  await page.getByLabel('Actor, action or target').fill('resent failed')
  await expect(entries).toHaveCount(2)
  await page.getByLabel('Actor, action or target').fill('nobody')
  await expect(page.getByText('No matching entries')).toBeVisible()
  await page.getByLabel('Actor, action or target').fill('')
  const file = await page.request.get('/audit/export?q=created+a+token')
  expect(file.headers()['content-disposition']).toMatch(
    /^attachment; filename="Audit log \d{4}-\d\d-\d\d\.csv"$/,
  )
  expect(parse(await file.text(), { bom: true })).toEqual([
    ['Time (UTC)', 'Actor', 'Action', 'Target', 'Partner', 'IP address'],
    [expect.any(String), "'=1+1", 'Created a token', hostileTexts[0], 'A partner of a test', '203.0.113.9'],
  ])
  await page.reload()
  await page.getByLabel('Actor, action or target').fill('exported the audit')
  await expect(entries).toHaveCount(2)
})
