import type { Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { expect, test } from './fixtures.ts'
import { clearCookies, enter, makeUser, signIn } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

// A session that ends while its user is working.

const endSessions = (system: RunningSystem, { id }: { id: number }) =>
  system.db.execute(sql`delete from sessions where user_id = ${id}`)
const isKept = (page: Page) => page.evaluate(() => sessionStorage.getItem('kept-forms') !== null)

test('form input is saved when the session ends, and restored after sign-in', async ({ page, system }) => {
  const admin = await makeUser(system, { role: 'admin' })
  const section = (name: string) =>
    page.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name })
  await enter(page, admin, '/webhooks')
  await test.step('A half-filled form is saved: sign-in explains why and restores the values', async () => {
    await page.getByLabel('New deals', { exact: true }).fill('https://crm.example.com/new')
    await page.getByLabel('Deal updates', { exact: true }).fill('not a URL yet')
    await endSessions(system, admin)
    await page.getByLabel('Deal updates', { exact: true }).fill('https://crm.example.com/upd')
    await page.getByRole('button', { name: 'Save endpoints' }).click()
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Fwebhooks')
    await expect(page.getByRole('status')).toHaveText(
      'Your session has ended. Sign in to continue; what you entered is saved.',
    )
    await signIn(page, admin)
    await expect(page).toHaveURL('/webhooks')
    await expect(page.getByLabel('New deals', { exact: true })).toHaveValue('https://crm.example.com/new')
    await expect(page.getByLabel('Deal updates', { exact: true })).toHaveValue('https://crm.example.com/upd')
    expect(await isKept(page)).toBe(false)
    await page.getByRole('button', { name: 'Save endpoints' }).click()
    await expect(page.getByText('Endpoints saved.')).toBeVisible()
    const stored = await system.db.execute(
      sql`select url from endpoints join users using (partner_id) where users.id = ${admin.id} order by kind`,
    )
    expect(stored.map(({ url }) => url)).toEqual([
      'https://crm.example.com/new',
      'https://crm.example.com/upd',
    ])
  })
  await test.step('A dialog opens again with its previous choices', async () => {
    await section('Tokens').click()
    await page.getByRole('button', { name: 'Create token' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Accounting')
    await dialog.getByRole('checkbox').nth(1).check()
    await dialog.getByLabel('Expires').selectOption('day')
    await dialog.getByLabel('Last valid day').fill('2031-05-01')
    await endSessions(system, admin)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Ftokens')
    await signIn(page, admin)
    await expect(dialog.getByLabel('Name')).toHaveValue('Accounting')
    await expect(dialog.getByRole('checkbox').first()).not.toBeChecked()
    await expect(dialog.getByRole('checkbox').nth(1)).toBeChecked()
    await expect(dialog.getByLabel('Expires')).toHaveValue('day')
    await expect(dialog.getByLabel('Last valid day')).toHaveValue('2031-05-01')
    expect(await isKept(page)).toBe(false)
  })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await test.step('An invitation dialog opens again with its recipient', async () => {
    await section('Team').click()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill('rosa@example.com')
    await dialog.getByLabel('Name').fill('Rosa Diaz')
    await dialog.getByLabel('Role').selectOption('admin')
    // Browsers drop the cookie of an expired session.
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Fteam')
    await expect(page.getByRole('status')).toHaveText(
      'Your session has ended. Sign in to continue; what you entered is saved.',
    )
    await signIn(page, admin)
    await expect(dialog.getByLabel('E-mail address')).toHaveValue('rosa@example.com')
    await expect(dialog.getByLabel('Name')).toHaveValue('Rosa Diaz')
    await expect(dialog.getByLabel('Role')).toHaveValue('admin')
    expect(await isKept(page)).toBe(false)
    await page.keyboard.press('Escape')
  })
  await test.step('A session that ends while browsing returns to the requested page', async () => {
    await endSessions(system, admin)
    await page.goto('/deliveries?state=failed')
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Fdeliveries%3Fstate%3Dfailed')
    await expect(page.getByRole('status')).toHaveText('Your session has ended. Sign in to continue.')
    await signIn(page, admin)
    await expect(page).toHaveURL('/deliveries?state=failed')
    await clearCookies(page)
    await page.goto('/audit')
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Faudit')
    await expect(page.getByRole('status')).toHaveCount(0)
  })
})

test('passwords are not saved, and other users never see the saved input', async ({ page, system }) => {
  const [user, other] = [await makeUser(system), await makeUser(system, { name: 'Kim Other' })]
  await enter(page, user)
  await page.getByLabel('Current password').fill(user.password)
  await page.getByLabel('Name', { exact: true }).fill('Robin of the Vale')
  await endSessions(system, user)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page).toHaveURL('/sign-in?callbackUrl=%2Faccount')
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain('Robin of the Vale')
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(user.password)
  await signIn(page, other)
  await expect(page).toHaveURL('/account')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Kim Other')
  await expect.poll(() => isKept(page)).toBe(false)
})
