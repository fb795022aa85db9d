import { type Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { act, enter, makeUser } from './portal-user.ts'
import { usePushService } from './push-service.ts'
import { startReceiver } from './receiver.ts'

const row = (page: Page, name: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: name })

test('an admin adds and tests a team channel, and sees when it has been turned off', async ({
  page,
  system,
}) => {
  const slack = await startReceiver()
  await enter(page, await makeUser(system, { role: 'admin' }), '/webhooks?tab=channels')
  await page.getByRole('button', { name: 'Post to a team channel' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('button', { name: 'Add channel' }).click()
  await expect(form.getByText('Enter a name.')).toBeVisible()
  await form.getByLabel('Name').fill('#deals')
  await form.getByLabel('Webhook URL').fill(`${slack.url}/services/secret`)
  await form.getByRole('checkbox', { name: 'Dates' }).uncheck()
  await form.getByRole('button', { name: 'Add channel' }).click()
  const channel = row(page, '#deals')
  await expect(channel).toContainText('Active')
  await expect(channel).toContainText('Stages and new deals, Late steps, Outstanding items, Files')
  await expect(channel).not.toContainText('secret')
  await act(channel, /^Send test/)
  await expect(page.getByText('Test message posted to #deals.')).toBeVisible()
  expect(slack.requests[0]!.body).toContain('Partner Deals can post to #deals.')
  await act(channel, /^Turn off/)
  await expect(channel).toContainText('Off')
  await slack.close()
  await act(channel, /^Send test/)
  await expect(page.getByText('Not posted: the connection was refused')).toBeVisible()
  await act(channel, /^Delete/)
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(channel).toHaveCount(0)
})

test.describe('in a browser that supports push notifications', () => {
  test.use({ serviceWorkers: 'allow' })

  test('a push notification names its deal, and the account page offers to turn on notifications', async ({
    page,
    context,
    system,
  }) => {
    const session = await context.newCDPSession(page)
    const registered = new Promise<string>((resolve) =>
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations as { registrationId: string }[]
        if (first !== undefined) resolve(first.registrationId)
      }),
    )
    await session.send('ServiceWorker.enable')
    await context.grantPermissions(['notifications'], { origin: system.url })
    await enter(page, await makeUser(system, { role: 'member' }))
    const isAble = await page.evaluate(() => Notification.permission === 'granted')
    test.skip(!isAble, 'a headless shell shows no notifications, whatever is granted')
    const panel = page.getByRole('region', { name: 'Push notifications on this device' })
    await expect(panel.getByRole('button', { name: 'Turn on' })).toBeVisible()
    const message = { title: 'Lopez, Ana', body: 'Stage moved to Permit', url: '/deals/42', tag: 'deal-42' }
    const shown = () =>
      page.evaluate(async () => {
        const all = await (await navigator.serviceWorker.ready).getNotifications()
        return all.map(({ title, body, data }) => ({ title, body, url: data.url }))
      })
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await session.send('ServiceWorker.deliverPushMessage', {
      origin: system.url,
      registrationId: await registered,
      data: JSON.stringify(message),
    })
    await expect.poll(shown).toEqual([{ title: message.title, body: message.body, url: message.url }])
  })

  test('the account page says that notifications are blocked', async ({ page, system }) => {
    await page.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }))
    await enter(page, await makeUser(system, { role: 'member' }))
    await expect(page.getByRole('region', { name: 'Push notifications on this device' })).toContainText(
      'Notifications are blocked in the browser settings.',
    )
  })

  test("a device stays subscribed with the installation's key until sign-out", async ({ page, system }) => {
    const user = await makeUser(system, { role: 'member' })
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
    await usePushService(page, 'https://127.0.0.1/push/1', keys)
    await enter(page, user)
    const panel = page.getByRole('region', { name: 'Push notifications on this device' })
    await panel.getByRole('button', { name: 'Turn on' }).click()
    await expect(panel.getByRole('button', { name: 'Turn off' })).toBeVisible()
    const { $client: sql } = system.db
    const count = async () =>
      (
        await sql<{ count: number }[]>`
        select count(*)::integer as count from push_subscriptions where user_id = ${user.id}`
      )[0]!.count
    expect(await count()).toBe(1)
    const [{ key }] = await sql<[{ key: string }]>`select public as key from push_keys`
    expect(await page.evaluate(() => (globalThis as { subscribedWith?: unknown }).subscribedWith)).toBe(key)
    await panel.getByRole('button', { name: 'Turn off' }).click()
    await expect(panel.getByRole('button', { name: 'Turn on' })).toBeVisible()
    expect(await count()).toBe(0)
    const browsers = page.getByRole('list', { name: 'Browsers with push notifications' })
    await expect(browsers).toHaveCount(0)
    await panel.getByRole('button', { name: 'Turn on' }).click()
    await expect(browsers.getByRole('listitem')).toContainText('This browser')
    await browsers.getByRole('button', { name: /^Remove/ }).click()
    await expect(panel.getByRole('button', { name: 'Turn on' })).toBeVisible()
    expect(await count()).toBe(0)
    await panel.getByRole('button', { name: 'Turn on' }).click()
    await expect(panel.getByRole('button', { name: 'Turn off' })).toBeVisible()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('option', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(/sign-in/)
    expect(await count()).toBe(0)
  })
})
