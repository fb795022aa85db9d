import type { Browser, Page } from '@playwright/test'
import { sql } from 'drizzle-orm'
import { expect, test } from './fixtures.ts'
import { type Access, enter, hostileNames, hostileTexts, makeUser, signIn, watch } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const current = (page: Page) => page.getByLabel('Current password')
const next = (page: Page) => page.getByLabel('New password')
const name = (page: Page) => page.getByLabel('Name', { exact: true })
const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')

/** Another browser where the user is signed in. */
async function elsewhere(
  browser: Browser,
  system: RunningSystem,
  access: Access,
  userAgent?: string,
): Promise<Page> {
  const page = await browser.newPage({
    baseURL: system.url,
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  await enter(page, access)
  return page
}

test('the account shows who is signed in', async ({ page, system }) => {
  const user = await makeUser(system, { role: 'admin' })
  await enter(page, user)
  await expect(page.getByRole('heading', { name: 'Your account', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(user.email)
  await expect(page.getByRole('main')).toContainText('Admin at A partner of a test')
})

test.describe('the name', () => {
  test('is saved, and shown in the header at once', async ({ page, system }) => {
    await enter(page, await makeUser(system))
    await name(page).fill('  Kim Reed ')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Name saved.')).toBeVisible()
    await expect(page.getByRole('banner').getByRole('button', { name: 'Kim Reed' })).toBeVisible()
    await page.reload()
    await expect(name(page)).toHaveValue('Kim Reed')
  })

  test('must not be empty', async ({ page, system }) => {
    await enter(page, await makeUser(system))
    for (const text of ['', '   ', 'x'.repeat(101)]) {
      await name(page).fill(text)
      await page.getByRole('button', { name: 'Save name' }).click()
      await expect(name(page)).toBeFocused()
      await expect(name(page)).toHaveAccessibleDescription(/^Enter a name/)
    }
  })

  test('is shown as text, even hostile text', async ({ page, system }) => {
    const seen = watch(page)
    await enter(page, await makeUser(system))
    for (const text of hostileNames) {
      await name(page).fill(text)
      await page.getByRole('button', { name: 'Save name' }).click()
      await expect(page.getByRole('banner').getByRole('button', { name: text })).toBeVisible()
      await page.reload()
      await expect(name(page)).toHaveValue(text)
    }
    expect(seen).toEqual([])
  })
})

test.describe('the password', () => {
  test('is changed, and ends all other sessions', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    await enter(page, user)
    const other = await elsewhere(browser, system, user)
    await page.reload()
    await expect(sessions(page)).toHaveCount(2)
    await current(page).fill(user.password)
    await next(page).fill('another password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(page.getByText('Password changed.')).toBeVisible()
    await expect(current(page)).toHaveValue('')
    await expect(next(page)).toHaveValue('')
    await expect(sessions(page)).toHaveCount(1)
    // The page may redirect by itself, which cuts the reload short.
    await other.reload().catch(() => null)
    await expect(other).toHaveURL(/sign-in/)
    await signIn(other, { ...user, password: 'another password' })
    await expect(other).toHaveURL('/account')
    await other.close()
  })

  test('is not changed without the current one, or to a short one', async ({ page, system }) => {
    const user = await makeUser(system)
    await enter(page, user)
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect(current(page)).toBeFocused()
    await expect(current(page)).toHaveAccessibleDescription('Enter your current password.')
    await current(page).fill(user.password)
    for (const text of ['', 'elevenchars', 'x'.repeat(257)]) {
      await next(page).fill(text)
      await page.keyboard.press('Enter')
      await expect(next(page)).toBeFocused()
      await expect(next(page)).toHaveAccessibleDescription('Choose a password of 12 to 256 characters.')
    }
    await current(page).fill('not the password')
    await next(page).fill('another password')
    await page.keyboard.press('Enter')
    await expect(current(page)).toBeFocused()
    await expect(current(page)).toHaveAccessibleDescription('This is not your password.')
    await expect(next(page)).toHaveValue('another password')
    await current(page).fill(user.password)
    await page.keyboard.press('Enter')
    await expect(page.getByText('Password changed.')).toBeVisible()
  })

  test('may be missing, and is then set by a link', async ({ page, system }) => {
    const user = await makeUser(system)
    await enter(page, user)
    await system.db.execute(sql`update users set password_hash = null where id = ${user.id}`)
    await page.reload()
    await expect(current(page)).toHaveCount(0)
    await page.getByRole('link', { name: 'Get a password link' }).click()
    await expect(page).toHaveURL('/sign-in/forgot')
  })
})

test.describe('the sessions', () => {
  test('are listed, and each can be ended', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    const other = await elsewhere(
      browser,
      system,
      user,
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
    )
    await enter(page, user)
    await expect(sessions(page)).toHaveCount(2)
    await expect(sessions(page).filter({ hasText: 'This browser' })).toHaveCount(1)
    await page.getByRole('button', { name: /^Sign out Firefox on macOS/ }).click()
    await expect(page.getByText('Browser signed out.')).toBeVisible()
    await expect(sessions(page)).toHaveCount(1)
    await expect(page.getByRole('list', { name: 'Sessions' })).toBeFocused()
    await other.reload()
    await expect(other).toHaveURL(/sign-in/)
    await other.close()
    await sessions(page).getByRole('button').click()
    await expect(page).toHaveURL('/sign-in')
    await page.goto('/account')
    await expect(page).toHaveURL(/sign-in/)
  })

  test('disappear from the list if they have already ended', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    const other = await elsewhere(browser, system, user)
    await enter(page, user)
    await expect(sessions(page)).toHaveCount(2)
    await sessions(other).getByRole('button').last().click()
    await expect(other).toHaveURL('/sign-in')
    await other.close()
    await sessions(page).filter({ hasNotText: 'This browser' }).getByRole('button').click()
    await expect(sessions(page)).toHaveCount(1)
  })

  test('are named after the user agent, shown as text', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    for (const text of hostileTexts.slice(0, 3)) await (await elsewhere(browser, system, user, text)).close()
    const seen = watch(page)
    await enter(page, user)
    await expect(sessions(page)).toHaveCount(4)
    expect(seen).toEqual([])
  })

  test('are all ended at once, after a confirmation, by keyboard alone', async ({
    page,
    browser,
    system,
  }) => {
    const user = await makeUser(system)
    const other = await elsewhere(browser, system, user)
    await enter(page, user)
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
    for (const each of [page, other]) {
      // The page may redirect by itself, which cuts this short.
      await each.goto('/account').catch(() => null)
      await expect(each).toHaveURL(/sign-in/)
    }
    await other.close()
  })

  test('explain a failed request, and lead to sign-in when the session has ended', async ({
    page,
    context,
    system,
  }) => {
    const user = await makeUser(system)
    await enter(page, user)
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Save name' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Check your connection' })).toBeVisible()
    await context.setOffline(false)
    await system.db.execute(sql`delete from sessions where user_id = ${user.id}`)
    await page.getByRole('button', { name: 'Save name' }).click()
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Faccount')
    await signIn(page, user)
    await expect(page).toHaveURL('/account')
  })
})
