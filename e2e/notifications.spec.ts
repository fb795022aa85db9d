import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { unsubscribeToken } from '#server/notifications/mailing-list.ts'
import { readMailChoice } from '#server/notifications/store.ts'
import { encryptionKeyFrom } from '#server/values/encryption.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, violations } from './portal-user.ts'
import { bringIn } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

const id = 7_000_001n

/** Creates a partner with one deal. Returns a user and a function that changes the deal's stage. */
async function makeFollower(system: RunningSystem, dealId: bigint) {
  const user = await makeUser(system)
  const moveTo = (stage: string) =>
    bringIn(system, user.partner, [{ id: dealId, dealname: 'Lopez, Ana', stage, closerName: 'Robin Vale' }])
  await moveTo('Site Survey')
  return { user, moveTo }
}

const bell = (page: Page) => page.getByRole('banner').getByRole('link', { name: /^Notifications/ })
const news = (page: Page) => page.getByRole('list', { name: 'Notifications' }).locator('> li')

test('moves of a deal followed with F appear on every open page until read', async ({ page, system }) => {
  const { user, moveTo } = await makeFollower(system, id)
  await enter(page, user, `/deals/${id}`)
  const follow = page.getByRole('button', { name: 'Follow', exact: true })
  await expect(follow).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('f')
  await expect(page.getByRole('button', { name: 'Following' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('Following this deal.')).toBeVisible()
  await page.goto('/')
  const other = await page.context().newPage()
  await other.goto('/deals')
  await moveTo('Permit Submitted')
  for (const tab of [page, other])
    await expect(bell(tab)).toHaveAccessibleName('Notifications 1 unread', { timeout: 15_000 })
  await bell(page).click()
  await expect(page.getByRole('heading', { name: 'Notifications', level: 1 })).toBeVisible()
  await expect(news(page)).toHaveCount(1)
  await expect(news(page)).toContainText('Stage moved to Permit Submitted')
  expect(await violations(page)).toEqual([])
  await moveTo('Install Scheduled')
  // Notifications are grouped by deal.
  await expect(news(page)).toContainText('Install Scheduled', { timeout: 15_000 })
  await expect(news(page)).toHaveCount(1)
  await news(page).first().getByRole('link', { name: 'Lopez, Ana' }).click()
  await expect(page).toHaveURL(`/deals/${id}`)
  for (const tab of [page, other]) await expect(bell(tab)).toHaveAccessibleName('Notifications')
  await moveTo('Installed')
  const readNews = async () => {
    const [row] = await system.db.$client<[{ read: number }]>`
      select count(*)::integer as read from notifications
      where deal_id = ${String(id)} and read_at is not null`
    return row.read
  }
  // Notifications about an open deal are marked as read when they arrive.
  await expect.poll(readNews, { timeout: 15_000 }).toBe(3)
  await expect(bell(other)).toHaveAccessibleName('Notifications')
  await page.goto('/notifications')
  await expect(page.getByText('You’re all caught up.')).toBeVisible()
  await moveTo('Inspection')
  await expect(news(page)).toContainText('Inspection', { timeout: 15_000 })
  await page.keyboard.press('e')
  await expect(page.getByText('You’re all caught up.')).toBeVisible()
  await page.getByRole('button', { name: 'Show archived' }).click()
  await expect(page.getByRole('list', { name: 'Archived' }).locator('> li')).toHaveCount(1)
  await expect(page.getByRole('list', { name: 'Archived' })).toContainText('Stage moved to Inspection')
})

test('the account page shows the user’s deals and notification settings', async ({ page, system }) => {
  const { user } = await makeFollower(system, id + 1n)
  await enter(page, user, '/account')
  const settings = page.getByRole('region', { name: 'Notifications' })
  await settings.getByLabel('Robin Vale · 1 deal').check()
  await settings.getByLabel('File added').uncheck()
  await settings.getByLabel('When to send them').selectOption('Once a day')
  await settings.getByLabel(/^Hour/).selectOption('6 PM')
  await page.getByLabel(/^Weekly digest/).uncheck()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Changes saved.')).toBeVisible()
  await page.reload()
  await expect(settings.getByLabel('File added')).not.toBeChecked()
  await expect(settings.getByLabel(/^Hour/)).toHaveValue('18')
  await expect(settings.getByLabel('Robin Vale · 1 deal')).toBeChecked()
  await expect(page.getByLabel(/^Weekly digest/)).not.toBeChecked()
  await page.goto(`/deals/${id + 1n}`)
  await expect(page.getByRole('button', { name: 'Following' })).toBeVisible()
})

test('a saved view is followed from its menu, and notifies of deals entering or leaving the view', async ({
  page,
  system,
}) => {
  const { user, moveTo } = await makeFollower(system, id + 2n)
  await enter(page, user, '/deals?stage=Permit+Submitted')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Save current view' }).fill('At the city')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('“At the city” saved.')).toBeVisible()
  await page.getByRole('button', { name: /Views|At the city/ }).click()
  await page.getByRole('button', { name: 'Follow At the city' }).click()
  await expect(page.getByText('You follow the deals in “At the city”.')).toBeVisible()
  await moveTo('Permit Submitted')
  await page.goto('/notifications')
  await expect(news(page)).toHaveCount(1, { timeout: 15_000 })
  await expect(news(page)).toContainText('Stage moved to Permit SubmittedEntered your view “At the city”')
  await moveTo('Install Scheduled')
  await expect(news(page)).toContainText('Stage moved to Install ScheduledLeft your view “At the city”', {
    timeout: 15_000,
  })
  await expect(news(page)).toHaveCount(1)
})

test("a rejected e-mail address is reported, and used again at the user's request", async ({
  page,
  system,
}) => {
  const { user } = await makeFollower(system, id + 3n)
  await system.db.$client`
    insert into notification_settings (user_id, mail_rejected_at, mail_problem)
    values (${user.id}, now(), 'the mail server rejects the mail with 550')`
  await enter(page, user, '/notifications')
  await expect(
    page.getByText('We can’t send you e-mail: the mail server rejects the mail with 550.'),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Resume e-mail' }).click()
  await expect(page.getByText('We can’t send you e-mail')).toHaveCount(0)
})

test('the link in a mail unsubscribes after a confirmation, without sign-in', async ({ page, system }) => {
  const { user } = await makeFollower(system, id + 4n)
  const key = encryptionKeyFrom(await readFile(join(system.dataDir, 'encryption-key'), 'utf8'))
  await page.goto(`/unsubscribe/${unsubscribeToken(key, user.id)}`)
  await expect(page.getByText(`Stop all notifications to ${user.email}?`)).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByRole('heading', { name: 'You are unsubscribed' })).toBeVisible()
  expect(await readMailChoice(system.db, user.id)).toMatchObject({ byMail: false })
})
