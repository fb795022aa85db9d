import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, ready } from './portal-user.ts'

test.use({ serviceWorkers: 'allow' })

/** Waits until the current page is cached. */
const untilCached = (page: Page) =>
  expect
    .poll(
      () =>
        page.evaluate(async () => (await (await caches.open('pages')).match(location.href)) !== undefined),
      { timeout: 30_000 },
    )
    .toBe(true)

async function signOut(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/sign-in/)
}

test('visited pages can be read offline with their time, and are deleted on sign-out', async ({
  page,
  context,
  system,
}) => {
  const manifest = await (await page.request.get(`${system.url}/manifest.webmanifest`)).json()
  for (const { src } of manifest.icons)
    expect((await page.request.get(`${system.url}${src}`)).headers()['content-type']).toBe('image/png')
  await enter(page, await makeUser(system, { role: 'admin' }), '/')
  await untilCached(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deals' }).click()
  await expect(page).toHaveURL('/deals?is=open')
  await untilCached(page)

  await context.setOffline(true)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
  await expect(
    page.getByRole('status').filter({ hasText: /^Offline\. Showing data from \d+:\d\d/ }),
  ).toBeVisible()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
  await page.goto('/team').catch(() => {})
  await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible()
  await expect(page).toHaveURL('/team')
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  const keptPages = page.getByRole('list', { name: 'Pages saved in this browser' })
  await expect(keptPages.getByRole('link')).toContainText(['Deals', 'Home'])
  await keptPages.getByRole('link', { name: 'Home' }).click()
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
  // Retry, because the key only works once the cached page has started.
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(page.getByRole('alert').filter({ hasText: "You're offline." })).toBeVisible({
      timeout: 2000,
    })
  }).toPass({ timeout: 20_000 })
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()

  await context.setOffline(false)
  await expect(page.locator('html:not([data-kept-at])')).toHaveCount(1)
  await expect(page.getByText('Offline.')).toHaveCount(0)
  await ready(page)
  await signOut(page)
  expect(await page.evaluate(() => caches.has('pages'))).toBe(false)
})

test('visited pages are deleted when the session ends, even offline', async ({ page, context, system }) => {
  await enter(page, await makeUser(system, { role: 'admin' }), '/')
  await untilCached(page)
  await context.setOffline(true)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
  // Makes the session of open and cached pages end within a second.
  await page.evaluate(async () => {
    const cache = await caches.open('pages')
    for (const request of await cache.keys()) {
      const response = (await cache.match(request))!
      const headers = new Headers(response.headers)
      headers.set('x-session-until', String(Date.now() + 1000))
      await cache.put(request, new Response(await response.text(), { headers }))
    }
    document.querySelector('main')!.dataset['session'] = `${Date.now() + 1000} 1`
  })
  await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('heading', { name: 'Home' })).toHaveCount(0)
  expect(await page.evaluate(async () => (await (await caches.open('pages')).keys()).length)).toBe(0)
})

test("cached pages of one user are deleted when another user's page is cached or the session ends", async ({
  page,
  context,
  system,
}) => {
  await enter(page, await makeUser(system, { role: 'admin' }), '/')
  await untilCached(page)
  const former = await page.evaluate(async () => {
    const response = (await (await caches.open('pages')).match(location.href))!
    return [response.headers.get('x-session-until'), response.headers.get('x-session-user')].map(Number)
  })
  expect(former[0]).toBeGreaterThan(Date.now() + 3_600_000)
  await enter(page, await makeUser(system, { role: 'admin' }), '/deals')
  await expect
    .poll(
      () =>
        page.evaluate(async () => {
          const cache = await caches.open('pages')
          const all = await Promise.all((await cache.keys()).map(async (request) => cache.match(request)))
          return all.map((response) => response!.headers.get('x-session-user'))
        }),
      { timeout: 30_000 },
    )
    .not.toContain(String(former[1]))
  await context.setOffline(true)
  await page.goto('/').catch(() => {})
  await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible()
})

const ways: [way: string, open: (page: Page) => Promise<unknown>][] = [
  [
    'is requested once more to be kept',
    (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deals' }).click(),
  ],
  [
    'is opened in another tab',
    async (page) => {
      const other = await page.context().newPage()
      void other.goto('/deals', { waitUntil: 'commit' })
    },
  ],
]
for (const [way, open] of ways)
  test(`a page that ${way} and arrives after sign-out is not cached`, async ({ page, context, system }) => {
    await enter(page, await makeUser(system, { role: 'admin' }), '/')
    await untilCached(page)
    const [answered, released, arrived] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    await context.route(/\/deals(?:\?is=open)?$/, async (route) => {
      if (route.request().serviceWorker() === null) return route.continue()
      const response = await route.fetch()
      answered!.resolve()
      await released!.promise
      await route.fulfill({ response })
      arrived!.resolve()
    })
    await open(page)
    await answered!.promise
    await signOut(page)
    released!.resolve()
    await arrived!.promise
    // Go offline before the other tab notices the end of the session and drops its cache.
    await context.setOffline(true)
    await context.unrouteAll()
    // Longer than the service worker needs to cache a page.
    await page.waitForTimeout(1000)
    for (const path of ['/deals', '/deals?is=open']) {
      await page.goto(path).catch(() => {})
      await expect(page.getByRole('heading', { name: "You're offline" })).toBeVisible()
    }
  })

test('content that cannot load offline leaves the page unchanged, and loads once back online', async ({
  page,
  context,
  system,
}) => {
  const { ids, ...access } = await makeUser(system, { deals: [{ dealname: 'Lopez, Ana' }] })
  await enter(page, access, `/deals/${ids[0]}`)
  const follow = page.getByRole('button', { name: 'Follow', exact: true })
  await expect(follow).toBeVisible()
  await context.setOffline(true)
  // The error message is in a script that has not been loaded yet.
  await follow.click()
  await expect(follow).toHaveAttribute('aria-pressed', 'false')
  await expect(page.getByRole('heading', { name: 'Lopez, Ana', level: 1 })).toBeVisible()
  await context.setOffline(false)
  // The page may reload to load that script.
  await expect(async () => {
    await page.keyboard.press('f')
    await expect(page.getByText(/ollowing this deal\.$/).first()).toBeVisible({ timeout: 2000 })
  }).toPass()
})
