import type { Browser, Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { expect, test } from './fixtures.ts'
import { type Access, carrySession, enter, makeUser, ready, signIn } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const current = (page: Page) => page.getByLabel('Current password')
const next = (page: Page) => page.getByLabel('New password')
const name = (page: Page) => page.getByLabel('Name', { exact: true })
const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')

/** Signs the user in to a second browser. Returns an empty page. */
async function elsewhere(
  browser: Browser,
  system: RunningSystem,
  access: Access,
  userAgent: string,
): Promise<Page> {
  const page = await browser.newPage({ baseURL: system.url, userAgent })
  await carrySession(page, access)
  return page
}

test('the account page saves the name and password, and explains failures', async ({
  page,
  context,
  system,
}) => {
  const user = await makeUser(system, { role: 'admin' })
  await enter(page, user)
  await test.step('The page shows who is signed in', async () => {
    await expect(page.getByRole('heading', { name: 'Your account', level: 1 })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(user.email)
    await expect(page.getByRole('main')).toContainText('Admin at A partner of a test')
  })
  await ready(page, 'form')
  await test.step('A name must not be empty', async () => {
    await name(page).fill('   ')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(name(page)).toBeFocused()
    await expect(name(page)).toHaveAccessibleDescription(/^Enter a name/)
  })
  await test.step('A saved name appears in the header immediately', async () => {
    await name(page).fill('  Kim Reed ')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Changes saved.')).toBeVisible()
    await expect(page.getByRole('banner').getByRole('button', { name: 'Kim Reed' })).toBeVisible()
    await page.reload()
    await expect(name(page)).toHaveValue('Kim Reed')
  })
  await ready(page, 'form')
  await test.step('Changing the password requires the current one and a long enough new one', async () => {
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(current(page)).toBeFocused()
    await expect(current(page)).toHaveAccessibleDescription('Enter your current password.')
    await current(page).fill(user.password)
    await next(page).fill('elevenchars')
    await page.keyboard.press('Enter')
    await expect(next(page)).toBeFocused()
    await expect(next(page)).toHaveAccessibleDescription('Choose a password of 12 to 256 characters.')
    await current(page).fill('not the password')
    await next(page).fill('another password')
    await page.keyboard.press('Enter')
    await expect(current(page)).toBeFocused()
    await expect(current(page)).toHaveAccessibleDescription('This is not your password.')
    await expect(next(page)).toHaveValue('another password')
    await current(page).fill(user.password)
    await page.keyboard.press('Enter')
    await expect(page.getByText('Password changed.')).toBeVisible()
    await expect(current(page)).toHaveValue('')
  })
  await test.step('A failed request is explained, and an expired session leads to sign-in and back', async () => {
    await name(page).fill('Lee Reed')
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Check your connection' })).toBeVisible()
    await context.setOffline(false)
    await system.db.execute(sql`delete from sessions where user_id = ${user.id}`)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Faccount')
    await signIn(page, { ...user, password: 'another password' })
    await expect(page).toHaveURL('/account')
  })
  await test.step('A missing password is set with a mailed link', async () => {
    await system.db.execute(sql`update users set password_hash = null where id = ${user.id}`)
    await page.reload()
    await expect(current(page)).toHaveCount(0)
    await page.getByRole('link', { name: 'Get a password link' }).click()
    await expect(page).toHaveURL('/sign-in/forgot')
  })
})

test.describe('sessions', () => {
  test('are listed, and can be ended one by one or all together', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    const other = await elsewhere(
      browser,
      system,
      user,
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
    )
    for (const agent of ['x', 'y', 'z']) await (await elsewhere(browser, system, user, agent)).close()
    await enter(page, user)
    await expect(sessions(page)).toHaveCount(5)
    await test.step('Any other session can be ended', async () => {
      await expect(sessions(page).filter({ hasText: 'This browser' })).toHaveCount(1)
      await page.getByRole('button', { name: /^Sign out Firefox on macOS/ }).click()
      await expect(page.getByText('Browser signed out.')).toBeVisible()
      await expect(sessions(page)).toHaveCount(4)
      await expect(page.getByRole('list', { name: 'Sessions' })).toBeFocused()
      await other.goto('/account')
      await expect(other).toHaveURL(/sign-in/)
    })
    await test.step('A session disappears from the list if it has already ended', async () => {
      const gone = sessions(page).filter({ hasText: 'Unknown browser' })
      await expect(gone).toHaveCount(3)
      await system.db.execute(
        sql`delete from sessions where user_id = ${user.id} and user_agent not like 'Mozilla%'`,
      )
      await gone.first().getByRole('button').click()
      await expect(sessions(page)).toHaveCount(1)
    })
    await test.step('The current session can be ended', async () => {
      await carrySession(other, user)
      await other.goto('/account')
      await sessions(other).filter({ hasText: 'This browser' }).getByRole('button').click()
      await expect(other).toHaveURL('/sign-in')
      await other.goto('/account')
      await expect(other).toHaveURL(/sign-in/)
    })
    await test.step('All sessions are ended after a confirmation, by keyboard alone', async () => {
      await carrySession(other, user)
      await page.reload()
      await expect(sessions(page)).toHaveCount(2)
      await page.getByRole('button', { name: 'Sign out everywhere' }).focus()
      await page.keyboard.press('Enter')
      const question = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
      await expect(question).toContainText('all 2 sessions')
      await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(question).toBeHidden()
      await expect(page.getByRole('button', { name: 'Sign out everywhere' })).toBeFocused()
      await expect(sessions(page)).toHaveCount(2)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await expect(question.getByRole('button', { name: 'Sign out everywhere' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL('/sign-in')
      for (const tab of [page, other]) {
        // The page may redirect on its own and cancel this navigation.
        await tab.goto('/account').catch(() => null)
        await expect(tab).toHaveURL(/sign-in/)
      }
      await other.close()
    })
  })
})
