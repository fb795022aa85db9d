import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import type { PartnerId } from '#server/accounts/partner.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { expect, test } from './fixtures.ts'
import { act, enter, makeUser } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const shell = promisify(execFile)

const rows = (page: Page, table = 'Active tokens') =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })
const dialog = (page: Page) => page.getByRole('dialog')
const shownToken = async (page: Page) =>
  (await dialog(page).getByRole('group', { name: 'Token', exact: true }).innerText()).trim()
const ask = (system: RunningSystem, token: string, path = '/api/deals?size=1', headers = {}) =>
  fetch(system.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
const statusOf = async (system: RunningSystem, token: string) => (await ask(system, token)).status

/** Creates an admin of a new partner. */
async function makeAdmin(system: RunningSystem) {
  const admin = await makeUser(system, { role: 'admin' })
  const [partner] = await system.db.execute<{ id: PartnerId }>(
    sql`select partner_id as id from users where id = ${admin.id}`,
  )
  await system.db.execute(sql`delete from tokens where partner_id = ${partner!.id}`)
  return { ...admin, partnerId: partner!.id }
}

test('an admin creates, tries, rotates and revokes a token', async ({ page, system }) => {
  test.skip(spawnSync('curl', ['--version']).status !== 0, 'there is no curl here')
  const admin = await makeAdmin(system)
  await enter(page, admin, '/tokens')
  await expect(page.getByText('No active tokens')).toBeVisible()

  await page.getByRole('button', { name: 'Create token' }).click()
  await dialog(page).getByRole('button', { name: 'Create token' }).click()
  await expect(dialog(page).getByLabel('Name')).toBeFocused()
  await expect(dialog(page).getByLabel('Name')).toHaveAccessibleDescription(
    'Enter a name of at most 100 characters.',
  )
  await dialog(page).getByLabel('Name').fill('CRM')
  await expect(dialog(page).getByText('Select at least one scope.')).toBeVisible()
  for (const scope of ['deals:read', 'files:read', 'insight:read', 'webhooks:read'])
    await dialog(page).getByLabel(scope).check()
  await dialog(page).getByRole('button', { name: 'Create token' }).click()
  const first = await shownToken(page)
  expect(first).toMatch(/^pd_\w{36}$/)
  // Closing the dialog would lose the token, so it shows a warning instead.
  await page.keyboard.press('Escape')
  await expect(dialog(page).getByRole('alert')).toContainText('Copy the token first')
  const command = (await dialog(page).getByRole('region', { name: 'Command' }).innerText()).trim()
  expect(JSON.parse((await shell('sh', ['-c', `${command} --silent`])).stdout)).toMatchObject({
    count: 0,
    deals: [],
  })
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await page.reload()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(
    /CRM\s*pd_\w{6}…\s*deals:read, files:read, insight:read, webhooks:read\s*Created/,
  )
  await expect(rows(page)).toContainText(/just nowfrom (?:127\.0\.0\.1|::1) by curl/)
  await expect(page.locator('body')).not.toContainText(first)

  await act(rows(page), 'Rotate CRM')
  await expect(dialog(page).getByLabel('Old token expires')).toHaveValue('24h')
  await dialog(page).getByRole('button', { name: 'Rotate token' }).click()
  const second = await shownToken(page)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).nth(1)).toContainText(/ReplacedValid until .*Replaced by pd_/)
  await rows(page)
    .nth(1)
    .getByRole('button', { name: /^Actions/ })
    .click()
  await expect(page.getByRole('menuitem')).toHaveText([/^Usage/, /^Revoke/])
  await page.keyboard.press('Escape')
  expect([await statusOf(system, first), await statusOf(system, second)]).toEqual([200, 200])
  await system.db.execute(
    sql`update tokens set expires_at = now() where replaced_by_id is not null and partner_id = ${admin.partnerId}`,
  )
  expect([await statusOf(system, first), await statusOf(system, second)]).toEqual([401, 200])

  await page.reload()
  await act(rows(page), 'Revoke CRM')
  const confirmation = page.getByRole('alertdialog', { name: 'Revoke “CRM”?' })
  await expect(confirmation).toContainText(
    /^Revoke “CRM”\?Used just now from \S+ by node, \d+ requests? today\. Clients using it are rejected immediately\./,
  )
  await confirmation.getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText('“CRM” revoked.')).toBeVisible()
  await expect(page.getByRole('group', { name: 'Active tokens' })).toBeFocused()
  expect(await statusOf(system, second)).toBe(401)
  await page.getByText('Expired and revoked').click()
  await expect(rows(page, 'Expired and revoked tokens')).toContainText([/Revoked/, /Expired/])
})

test('an expiry date must be in the future; a token that expires soon is marked', async ({
  page,
  system,
}) => {
  const admin = await makeAdmin(system)
  await enter(page, admin, '/tokens')
  await page.getByRole('button', { name: 'Create token' }).click()
  await dialog(page).getByLabel('Name').fill('Files')
  await dialog(page).getByRole('checkbox', { name: 'files:read' }).check()
  await dialog(page).getByLabel('Expires').selectOption('day')
  const day = dialog(page).getByLabel('Last valid day')
  await day.fill('2020-01-01')
  await dialog(page).getByRole('button', { name: 'Create token' }).click()
  await expect(day).toBeFocused()
  await expect(day).toHaveAccessibleDescription('Choose a day between today and ten years from now.')
  await day.fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10))
  await dialog(page).getByRole('button', { name: 'Create token' }).click()
  await expect(dialog(page)).toContainText('Token created')
  await expect(dialog(page).getByRole('region', { name: 'Command' })).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(rows(page).first()).toContainText(/Expires soonExpires in [34] days/)
  // The account menu shows a mark.
  await page.goto('/')
  await expect(page.getByRole('img', { name: 'Tokens expire soon' })).toBeVisible()
})

test('shows usage by day, and works by keyboard, in both themes and in narrow windows', async ({
  page,
  system,
}) => {
  const admin = await makeAdmin(system)
  const { id } = await issueToken(system.db, { partnerId: admin.partnerId, name: 'CRM', expiresAt: null })
  await issueToken(system.db, { partnerId: admin.partnerId, name: 'Old', expiresAt: new Date() })
  await system.db.execute(
    sql`insert into token_days select ${id}, current_date - age, 100 + age, age % 3 from generate_series(0, 29) age`,
  )
  await enter(page, admin, '/tokens')
  await expect(rows(page)).toContainText('100 today721 in 7 days6 errors')
  const actions = page.getByRole('button', { name: 'Actions for CRM' })
  const choose = async (name: string) => {
    await actions.press('Enter')
    // The menu moves the focus shortly after the key press.
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.type(name.slice(0, 3))
    await expect(page.getByRole('menuitem', { name })).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await choose('Usage of CRM')
  await expect(dialog(page)).toContainText('3,435 requests · 30 errors')
  await expect(dialog(page).getByRole('row')).toHaveCount(31)
  await expect(dialog(page).getByRole('row').nth(3)).toContainText(/102.*2/)
  await page.keyboard.press('Escape')
  await expect(actions).toBeFocused()
  await page.getByText('Expired and revoked').click()
  await expect(rows(page, 'Expired and revoked tokens')).toHaveCount(1)
  await choose('Revoke CRM')
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(actions).toBeFocused()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.getByRole('button', { name: 'Create token' }).press('Enter')
  await dialog(page).getByLabel('Name').fill('Phone')
  await dialog(page).getByLabel('deals:read').check()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByRole('region', { name: 'Command' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
})

test('an operator sees the tokens of all partners or one, and creates internal tokens', async ({
  page,
  system,
}) => {
  const admin = await makeAdmin(system)
  await issueToken(system.db, {
    partnerId: admin.partnerId,
    name: `CRM of ${admin.slug}`,
    expiresAt: null,
  })
  const operator = await makeUser(system, { role: 'operator' })
  await enter(page, operator, '/tokens')
  await expect(rows(page).filter({ hasText: admin.slug })).toContainText('A partner of a test')
  await page.getByLabel('Owner').selectOption('')
  await expect(rows(page).filter({ hasText: admin.slug })).toHaveCount(0)
  await page.goto(`/tokens?of=${admin.slug}`)
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Create internal token' }).click()
  await expect(dialog(page).getByRole('checkbox')).toHaveCount(3)
  await dialog(page).getByLabel('Name').fill('Staff')
  await dialog(page).getByLabel('deals:read').check()
  await page.keyboard.press('Enter')
  const token = await shownToken(page)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  expect(await statusOf(system, token)).toBe(200)
})

for (const touch of [false, true])
  test.describe(touch ? 'on a phone' : 'in a low window', () => {
    test.use({
      viewport: touch ? { width: 390, height: 740 } : { width: 1280, height: 500 },
      hasTouch: touch,
      isMobile: touch,
    })

    test('the menu of each row opens above the rows below and inside the window', async ({
      page,
      system,
    }) => {
      const admin = await makeAdmin(system)
      for (let index = 0; index < 8; index++)
        await issueToken(system.db, { partnerId: admin.partnerId, name: `CRM ${index}`, expiresAt: null })
      await enter(page, admin, '/tokens')
      const menus = page.getByRole('button', { name: /^Actions for / })
      await expect(menus).toHaveCount(8)
      for (const index of [0, 4, 7]) {
        const actions = menus.nth(index)
        await actions.scrollIntoViewIfNeeded()
        await (touch ? actions.tap() : actions.click())
        await expect(page.getByRole('menuitem')).toHaveCount(3)
        await expect.poll(() => hidden(page)).toEqual([])
        // A click elsewhere closes the menu and does nothing else.
        await page.getByRole('heading', { level: 1 }).click({ force: true })
        await expect(page.getByRole('menu')).toHaveCount(0)
        await actions.press('ArrowDown')
        await expect(page.getByRole('menuitem', { name: /^Usage/ })).toBeFocused()
        await page.keyboard.press('Escape')
        await expect(actions).toBeFocused()
      }
    })
  })

/** Returns items of the open menu that are covered, outside the window, or too small for a finger. */
const hidden = (page: Page) =>
  page.getByRole('menuitem').evaluateAll((items) =>
    items
      .filter((item) => {
        const { left, right, top, bottom, height } = item.getBoundingClientRect()
        const isLow = height < (matchMedia('(pointer: coarse)').matches ? 43.5 : 32)
        const corners = [left + 4, right - 4].flatMap((x) =>
          [top + 4, bottom - 4].map((y) => [x, y] as const),
        )
        return isLow || corners.some(([x, y]) => !item.contains(document.elementFromPoint(x, y)))
      })
      .map(({ textContent }) => textContent),
  )
