import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { enter, hostileTexts, makeUser, signedInUser, violations, watch } from './portal-user.ts'
import { type Receiver, startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type RunningSystem, run } from './system.ts'

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

/** Signs the page in as an admin of a partner whose first event was delivered and whose second failed. */
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
  const access = { email: `dana@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Dana', role: 'admin', partnerId: partner.id })
  await enter(page, access, '/deliveries')
  return { ...partner, deals, access }
}

const rows = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row')

test('an admin finds the failed delivery, reads its attempts and resends it', async ({ page, system }) => {
  const seen = watch(page)
  const { deals } = await enterWithHistory(page, system)
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
  expect(seen).toEqual([])
})

test('a delivery that fails says why and when it is retried, and is retried now', async ({
  page,
  system,
}) => {
  const { id } = await enterWithHistory(page, system)
  await system.db.$client`
    update deliveries set state = 'waiting', step = 1, due_at = now() + interval '2 hours', finished_at = null
    where partner_id = ${id} and sequence = 2`
  await page.reload()
  await expect(rows(page).filter({ hasText: '#2' })).toContainText(/Retrying\s*500 · next in 2 hours/)
  await page.getByLabel('Status').selectOption('waiting')
  await expect(page.getByText('No matching deliveries')).toBeVisible()
  await page.getByLabel('Status').selectOption('retrying')
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('link', { name: 'deal.created #2' }).click()
  await expect(page.getByText('1 attempt so far. Next attempt in 2 hours.')).toBeVisible()
  await page.getByRole('button', { name: 'Retry now' }).click()
  await expect(page.getByText('Delivered after 2 attempts.')).toBeVisible()
})

test('a delivery of a moved deal says why it cannot be resent', async ({ page, system }) => {
  const { deals } = await enterWithHistory(page, system)
  await bringIn(system, await system.makePartner(), [{ id: deals[1]!.id }])
  await page.reload()
  await expect(rows(page).filter({ hasText: '#2' })).toContainText('Deal moved to another partner')
  await page.getByRole('link', { name: 'deal.created #2' }).click()
  await expect(page.getByText('Deal moved to another partner: stopped after 1 attempt.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resend' })).toHaveCount(0)
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

const isHere = (program: string) => spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0

test('the snippets verify the last event, in each language whose runtime is installed', async ({
  page,
  system,
}) => {
  test.slow()
  await enterWithHistory(page, system)
  await page.goto('/webhooks?tab=secret')
  await page.getByRole('button', { name: 'Reveal' }).click()
  const secret = await page.getByText(/^whsec_[\w+/]{43}=$/).innerText()
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  const place = await mkdtemp(join(tmpdir(), 'snippets-'))
  const commands: Record<string, string[]> = {
    'Node.js': [process.execPath, 'verify.mjs'],
    Python: ['python3', 'verify.py'],
    PHP: ['php', 'verify.php'],
    Go: ['go', 'run', 'verify.go'],
    curl: ['sh', 'verify.sh'],
  }
  const ran = []
  for (const [language, [program, ...words]] of Object.entries(commands)) {
    if (![program!, ...(language === 'curl' ? ['openssl', 'curl'] : [])].every(isHere)) continue
    await page.getByLabel('Language').selectOption(language)
    const code = page.getByRole('region', { name: words.at(-1)! })
    await writeFile(join(place, words.at(-1)!), (await code.textContent())!)
    const runWith = (key: string) =>
      run(
        program!,
        words.map((word) => (word.startsWith('verify.') ? join(place, word) : word)),
        { ...process.env, WEBHOOK_SECRET: key, RECEIVER: `${receiver.url}/again` },
      )
    expect(await runWith(secret), language).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^verified/),
    })
    expect((await runWith(`whsec_${Buffer.alloc(32).toString('base64')}`)).code, language).not.toBe(0)
    ran.push(language)
  }
  await rm(place, { recursive: true })
  expect(ran).toContain('Node.js')
  // An event resent there is verified like any other.
  if (ran.includes('curl'))
    expect(
      verified(
        secret,
        receiver.requests.findLast(({ path }) => path === '/again')!,
      ),
    ).toMatchObject({ type: 'deal.created' })
})

test("a member has no access, another partner's admin finds nothing, the operator sees all partners", async ({
  page,
  system,
  browser,
}) => {
  const { id } = await enterWithHistory(page, system)
  const [delivery] = await system.db.$client<
    { id: string }[]
  >`select id from deliveries where partner_id = ${id} and sequence = 2`
  const statusFor = async (role: 'member' | 'admin') => {
    const { id: partnerId } = await system.makePartner()
    const cookie = await signedInUser(system, role, partnerId)
    return async (path: string) => (await ask(system, `GET ${path}`, { headers: { cookie } })).status
  }
  const member = await statusFor('member')
  for (const path of ['/deliveries', `/deliveries/${delivery!.id}`, '/audit', '/audit/export'])
    expect(await member(path), path).toBe(403)
  const stranger = await statusFor('admin')
  for (const path of [`/deliveries/${delivery!.id}`, '/deliveries/9007199254740991', '/deliveries/x'])
    expect(await stranger(path), path).toBe(404)
  const operator = await (await browser.newContext({ baseURL: system.url })).newPage()
  await enter(operator, await makeUser(system, { role: 'operator' }))
  await operator.goto('/deliveries')
  await expect(rows(operator).nth(1)).toContainText('A partner of a test')
  await operator.goto(`/deliveries/${delivery!.id}`)
  await expect(operator.getByRole('heading', { level: 1 })).toHaveText('deal.created #2')
  await operator.getByRole('button', { name: 'Resend' }).click()
  await expect(operator.getByText('Delivered after 2 attempts.')).toBeVisible()
  const [entry] = await system.db
    .$client`select partner_id, who from audit_entries where action = 'delivery.resent' order by id desc limit 1`
  expect(entry).toMatchObject({ who: expect.stringContaining('robin@') })
  await operator.context().close()
})
