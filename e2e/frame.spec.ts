import type { Page } from '@playwright/test'
import { themeCookie } from '#app/theme.ts'
import type { Role } from '#server/accounts/role.ts'
import { expect, test } from './fixtures.ts'
import { carrySession, cookieOf, enter, makeUser, ready, signIn, violations } from './portal-user.ts'
import { ask } from './rest/client.ts'
import type { RunningSystem } from './system.ts'

// Most users see animations.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/** Creates a user with this role whose partner has a deal with this homeowner and deals with these names. */
async function makeViewer(
  system: RunningSystem,
  {
    role = 'member',
    dealname = 'Vale, Robin',
    others = [],
  }: { role?: Role; dealname?: string; others?: string[] } = {},
) {
  const address = { streetAddress: '12 Elm St', city: 'Austin', state: 'TX' }
  const deals = [
    { dealname, ...address, stage: 'Permit Submitted' },
    ...others.map((other) => ({ dealname: other })),
  ]
  return makeUser(system, { role, name: 'Kim Reed', deals })
}

const openPalette = async (page: Page) => {
  // Retry, because keys pressed before the page's scripts run are lost.
  await expect(async () => {
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused({ timeout: 2000 })
  }).toPass({ timeout: 20_000 })
}

const openAccount = async (page: Page) => {
  await ready(page)
  await page.getByRole('button', { name: 'Account: Kim Reed' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
}

/** Opens the Money page while its response is delayed, and expects a progress bar within 100 ms. */
async function expectProgress(page: Page) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/money\?.*_rsc/, async (route) => {
    await released
    await route.continue()
  })
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Money' })
  const shownAfterMs = link.evaluate(
    (element) =>
      new Promise<number>((resolve) => {
        let clickedAt = 0
        element.addEventListener('click', () => (clickedAt = performance.now()))
        new MutationObserver(() => {
          if (document.querySelector('[role=progressbar]') !== null) resolve(performance.now() - clickedAt)
        }).observe(document.body, { childList: true, subtree: true })
      }),
  )
  await link.click()
  expect(await shownAfterMs).toBeLessThan(100)
  await expect(page).toHaveURL(/\/deals(?:\?is=open)?(?:#content)?$/)
  release()
  await expect(page).toHaveURL('/money')
  await expect(page.getByRole('progressbar', { name: 'Loading page' })).toHaveCount(0)
}

const links = ['Home', 'Deals', 'Money', 'Reports']

test.describe('the navigation', () => {
  test('opens from the side in a narrow window, and closes on navigation', async ({ page, system }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await enter(page, await makeViewer(system))
    await expect(page.getByRole('banner')).toContainText('A partner of a test')
    await page.getByRole('button', { name: 'Navigation' }).click()
    const sheet = page.getByRole('dialog')
    await expect(sheet.getByRole('link', { name: 'Home' })).toBeVisible()
    await sheet.getByRole('link', { name: 'Deals' }).click()
    await expect(page).toHaveURL('/deals?is=open')
    await expect(sheet).toHaveCount(0)
  })

  test('highlights the current page, prefetches only focused links, and works by keyboard alone', async ({
    page,
    system,
  }) => {
    const viewer = await makeViewer(system)
    const prefetched: string[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.searchParams.has('_rsc')) prefetched.push(url.pathname)
    })
    const live = page.waitForRequest(/\/live\?/)
    await enter(page, viewer, '/deals')

    await test.step('The first Tab offers to skip the navigation', async () => {
      await page.keyboard.press('Tab')
      await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.locator('#content')).toBeFocused()
    })
    await test.step('The navigation highlights the current page and names the partner', async () => {
      const main = page.getByRole('navigation', { name: 'Main' })
      expect(await main.getByRole('link').allInnerTexts()).toEqual(links)
      await expect(main.locator('[aria-current=page]')).toHaveText('Deals')
      const find = page.getByRole('button', { name: 'Find' })
      expect((await find.locator('span').first().boundingBox())!.height).toBeLessThan(25)
      await expect(page.getByRole('banner')).toContainText('A partner of a test')
      await expect(page.getByRole('button', { name: 'Partner:' })).toHaveCount(0)
      await expect(page.getByRole('complementary', { name: 'Viewing as a partner' })).toHaveCount(0)
    })
    await test.step('A page is requested when its link gets focus, not before', async () => {
      // The page opens its change stream after everything else.
      await live
      expect(prefetched).toEqual([])
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Money' }).hover()
      await expect.poll(() => prefetched).toContain('/money')
    })
    await test.step('A slow page shows a loading indicator within 100 ms', async () => {
      await expectProgress(page)
    })
    await test.step('The keyboard alone reaches the whole navigation', async () => {
      await page.goto('/deals')
      const order = [
        'Skip to content',
        'Partner Deals',
        ...links,
        'Find',
        'Notifications',
        'Account: Kim Reed',
      ]
      for (const name of order) {
        await page.keyboard.press('Tab')
        await expect(page.locator(':focus')).toContainText(name)
        expect(
          await page.locator(':focus').evaluate((element) => getComputedStyle(element).outlineStyle),
        ).toBe('solid')
      }
      await page.keyboard.press('Enter')
      await expect(page.getByRole('menu')).toBeVisible()
      await page.keyboard.press('ArrowDown')
      await expect(page.getByRole('menuitem', { name: 'Your account' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('button', { name: 'Account: Kim Reed' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('menuitem', { name: 'Your account' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL('/account')
    })
  })
})

/** Returns true if the response is the palette's script. */
const isPalette = async (response: { url(): string; text(): Promise<string> }) =>
  response.url().includes('/_next/static/chunks/') && (await response.text()).includes('Find a partner…')

test.describe('the command palette', () => {
  test('finds pages and deals, lists keyboard shortcuts, and loads before it is opened', async ({
    page,
    system,
  }) => {
    const names = Array.from({ length: 13 }, (_, index) => `Quillfeather, ${index}`)
    const viewer = await makeViewer(system, {
      dealname: 'Marrowbone, Ambrose',
      others: ['Brandywine, Saffron', ...names],
    })
    await makeViewer(system, { dealname: 'Marrowbone, Theodora' })
    const loaded = Promise.withResolvers<void>()
    page.on('response', async (response) => {
      if (await isPalette(response)) loaded.resolve()
    })
    await enter(page, viewer)
    await test.step('The palette loads soon after the page, so that the first typed letters are not lost', async () => {
      await loaded.promise
      await openPalette(page)
      await page.keyboard.press('Escape')
    })
    await test.step('The palette keeps letters typed while it loads', async () => {
      const cold = await page
        .context()
        .browser()!
        .newContext({ storageState: await page.context().storageState() })
      const fresh = await cold.newPage()
      const typed = Promise.withResolvers<void>()
      await fresh.route('**/_next/static/chunks/**', async (route) => {
        const response = await route.fetch()
        if (await isPalette(response)) await typed.promise
        await route.fulfill({ response })
      })
      await fresh.goto(new URL('/deals', page.url()).href)
      await ready(fresh)
      await fresh.keyboard.press('Control+k')
      await fresh.keyboard.type('marrowx')
      await fresh.keyboard.press('Backspace')
      typed.resolve()
      await expect(fresh.getByRole('dialog').getByRole('combobox')).toHaveValue('marrow')
      await fresh.keyboard.type('bone')
      await expect(fresh.getByRole('option', { name: /Marrowbone, Ambrose/ })).toBeVisible()
      await cold.close()
    })
    await test.step('The palette opens any page, and restores the focus when closed', async () => {
      await page.getByRole('button', { name: 'Find' }).focus()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Find' })).toBeFocused()
      await openPalette(page)
      await page.keyboard.type('dea')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/deals(?:\?is=open)?$/)
    })
    await test.step('The ? key lists keyboard shortcuts, but not while typing', async () => {
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await expect(keys).toContainText('Find a deal or page')
      await page.keyboard.press('Escape')
      await expect(keys).toHaveCount(0)
      await openPalette(page)
      await page.keyboard.type('?')
      await expect(page.getByRole('dialog').getByRole('combobox')).toHaveValue('?')
      await expect(keys).toHaveCount(0)
      await page.keyboard.press('Escape')
      await openAccount(page)
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
      await expect(keys).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(keys).toHaveCount(0)
    })
    await test.step("The palette's input has the focus, even if another dialog is just closing", async () => {
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await expect(keys).toBeVisible()
      await page.evaluate(() => {
        for (const [key, ctrlKey] of [
          ['Escape', false],
          ['k', true],
        ] as const)
          document.activeElement!.dispatchEvent(
            new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }),
          )
      })
      await expect(keys).toHaveCount(0)
      await page.keyboard.type('qui')
      await expect(page.getByRole('dialog').getByRole('combobox')).toHaveValue('qui')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
    await test.step('When the palette shows only some deals, it links to all matches', async () => {
      await openPalette(page)
      await page.getByRole('dialog').getByRole('combobox').fill('quillfeather')
      await page.getByRole('option', { name: 'See all 13' }).click()
      await expect(page).toHaveURL('/deals?q=quillfeather')
      await expect(page.getByText('13 deals')).toBeVisible()
    })
    await test.step("The palette finds and opens the partner's deals, and none of another partner", async () => {
      await page.getByRole('button', { name: 'Find' }).click()
      await page.getByRole('dialog').getByRole('combobox').fill('marrowb')
      await expect(page.getByRole('option')).toHaveText(
        /Marrowbone, Ambrose.*12 Elm St, Austin, TX.*Permit Submitted/,
      )
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(`/deals/${viewer.ids[0]}`)
      await expect(page.getByRole('dialog')).toHaveCount(0)
    })
    await test.step('The palette opens a deal whose name is typed and immediately confirmed with Enter', async () => {
      await openPalette(page)
      await page.keyboard.type('brandywine saffron')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(`/deals/${viewer.ids[1]}`)
    })
  })

  test('signs out completely, and an ended session leads to sign-in and back', async ({ page, system }) => {
    const viewer = await makeViewer(system)
    await enter(page, viewer, '/deals')
    await test.step('Signing out leads to the sign-in page, even while the page is still loading data', async () => {
      const [signedOut, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await page.route('**/deals', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        const response = await route.fetch({ maxRedirects: 0 })
        signedOut.resolve()
        await answered.promise
        await route.fulfill({ response })
      })
      const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
      await openPalette(page)
      await page.keyboard.type('sign out')
      await page.keyboard.press('Enter')
      await signedOut.promise
      const refused = page.waitForResponse(
        (response) => response.url().includes('/api/trpc/deals') && response.status() === 401,
      )
      await page.getByRole('textbox', { name: 'Search deals' }).fill('lopez')
      await refused
      answered.resolve()
      await expect(page).toHaveURL('/sign-in')
      // A stolen copy of the cookie no longer works either.
      expect((await ask(system, 'GET /deals', { headers: { cookie } })).headers.location).toContain(
        '/sign-in',
      )
      await page.unrouteAll({ behavior: 'wait' })
    })
    await test.step('Sign-out is complete: a later session that ends leads to sign-in and back', async () => {
      await signIn(page, viewer)
      await expect(page).toHaveURL('/')
      await page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: 'Deals', exact: true })
        .click()
      await expect(page).toHaveURL(/\/deals(?:\?is=open)?$/)
      await page.getByRole('textbox', { name: 'Search deals' }).click()
      await system.db
        .$client`delete from sessions where user_id = (select id from users where email = ${viewer.email})`
      await page.keyboard.type('lopez')
      await expect(page).toHaveURL(/\/sign-in\?callbackUrl=%2Fdeals/)
    })
  })
})

test.describe('the theme', () => {
  const canvas = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const [light, dark] = ['rgb(247, 247, 244)', 'rgb(17, 19, 17)']

  test('follows the system until the user chooses a theme, and is correct from the first response on', async ({
    page,
    system,
  }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    const viewer = await makeViewer(system)
    await enter(page, viewer)
    await test.step('The theme follows the system until the user chooses, then keeps the choice', async () => {
      expect(await canvas(page)).toBe(light)
      await page.goto('/account')
      await expect(page.getByRole('radio', { name: 'System' })).toBeChecked()
      await page.getByText('Dark', { exact: true }).click()
      await expect.poll(() => canvas(page)).toBe(dark)
      await expect(page.locator('meta[name=theme-color]')).toHaveCount(1)
      await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#111311')
      await page.reload()
      expect(await canvas(page)).toBe(dark)
      await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
      await page.getByText('System', { exact: true }).click()
      await expect.poll(() => canvas(page)).toBe(light)
      await expect(page.locator('meta[name=theme-color]')).toHaveCount(2)
    })
    await test.step('The first response has the chosen theme, so that nothing flashes', async () => {
      await page.keyboard.press('Escape')
      await openPalette(page)
      await page.keyboard.type('theme dark')
      await page.keyboard.press('Enter')
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
      const cookie = `${await cookieOf(system, viewer)}; ${themeCookie}=dark`
      for (const path of ['/deals', '/nowhere'])
        expect((await ask(system, `GET ${path}`, { headers: { cookie } })).text).toMatch(
          /<html[^>]* data-theme="dark"/,
        )
    })
  })
})

test.describe('an operator', () => {
  test('views the portal as a partner under a banner, and returns', async ({ page, system }) => {
    const operator = await makeViewer(system, { role: 'operator' })
    const { slug } = await makeViewer(system, { dealname: 'Ours, Olga' })
    await system.db.$client`update partners set name = ${`Solar ${slug}`} where slug = ${slug}`
    await enter(page, operator, '/deals')
    await test.step('The header shows that the pages cover all partners', async () => {
      const main = page.getByRole('navigation', { name: 'Main' })
      expect(await main.getByRole('link').allInnerTexts()).toEqual(links)
      await expect(page.getByRole('banner')).toContainText('All partners')
      await expect(page.getByRole('complementary', { name: 'Viewing as a partner' })).toHaveCount(0)
    })
    await test.step("A partner's pages have a banner that leads back to all partners", async () => {
      await page.getByRole('button', { name: 'Partner: All partners' }).click()
      await page.getByRole('dialog').getByRole('combobox').fill(slug)
      await page.getByRole('option', { name: `Solar ${slug}` }).click()
      const banner = page.getByRole('complementary', { name: 'Viewing as a partner' })
      await expect(banner).toContainText(`Viewing as Solar ${slug}`)
      await expect(page.getByRole('main')).toContainText('Ours, Olga')
      await expect(page.getByRole('button', { name: `Partner: Solar ${slug}` })).toBeFocused()
      await expect(page).toHaveURL(`/deals?partner=${slug}`)
      await page.reload()
      await expect(banner).toBeVisible()
      await openPalette(page)
      await page.keyboard.type('vale')
      await expect(page.getByText('No results for “vale”')).toBeVisible()
      await page.keyboard.press('Escape')
      await banner.getByRole('link', { name: 'Back to all partners' }).click()
      await expect(banner).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Partner: All partners' })).toBeFocused()
      await expect(page).toHaveURL(/\/deals(?:\?is=open)?$/)
    })
    await test.step('The palette selects a partner, including in a narrow window', async () => {
      await page.setViewportSize({ width: 360, height: 740 })
      await openPalette(page)
      await page.keyboard.type('select a partner')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByRole('combobox').fill('gulf')
      await page.getByRole('option', { name: 'Gulf Breeze Solar' }).click()
      await expect(page.getByText('Viewing as Gulf Breeze Solar')).toBeVisible()
    })
  })
})

test.describe('an error or unknown page', () => {
  test('is reported inside the frame to signed-in users, and can be retried', async ({ page, system }) => {
    await test.step('An unknown page is reported inside the frame to signed-in users, and without the frame to others', async () => {
      expect((await page.goto('/nowhere'))!.status()).toBe(404)
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
      await expect(page.getByRole('banner')).toHaveCount(0)
      await carrySession(page, await makeViewer(system))
      expect((await page.goto('/nowhere/at/all'))!.status()).toBe(404)
      await expect(page).toHaveTitle('Page not found · Partner Deals')
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
      await openPalette(page)
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Go to your deals' }).click()
      await expect(page).toHaveURL(/\/deals(?:\?is=open)?$/)
    })
    await test.step('A page that fails to render can be retried', async () => {
      await system.db.$client`alter table sessions rename to sessions_gone`
      try {
        await page.goto('/deals')
        await expect(page.getByRole('heading', { name: 'Could not load this page' })).toBeVisible()
        expect(await violations(page)).toEqual([])
      } finally {
        await system.db.$client`alter table sessions_gone rename to sessions`
      }
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
    })
    await test.step('The frame stays when only the page fails', async () => {
      await openAccount(page)
      await page.route('**/_next/static/chunks/**', (route) => route.abort())
      await page.getByRole('menuitem', { name: 'Your account' }).click()
      await expect(page.getByRole('heading', { name: 'Could not load this page' })).toBeVisible()
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    })
  })

  test('shows an error when the account menu cannot be loaded', async ({ page, system }) => {
    const unseen: string[] = []
    page.on('pageerror', ({ message }) => void unseen.push(message))
    await enter(page, await makeViewer(system), '/account')
    await page.route('**/_next/static/chunks/**', (route) => route.abort())
    const account = page.getByRole('button', { name: 'Account: Kim Reed' })
    await account.click()
    const alert = page.getByRole('alert').filter({ hasText: "This part didn't load." })
    await expect(alert).toBeVisible()
    await alert.getByRole('button', { name: 'Close' }).click()
    await expect(account).toBeVisible()
    // Typing loads another script, which stores the text.
    await page.getByLabel('Current password').fill('a long enough password')
    // Before it fails, the script is requested several times within a second or two.
    await page.waitForTimeout(3000)
    expect(unseen).toEqual([])
  })
})

test('the layout does not shift on load or when a menu opens', async ({ page, system }) => {
  await carrySession(page, await makeViewer(system))
  await page.addInitScript(() => {
    const sum = { moved: 0 }
    Object.assign(window, sum)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        (window as unknown as typeof sum).moved += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto('/deals')
  await expect(page.getByText('Vale, Robin').first()).toBeVisible()
  await openPalette(page)
  await page.keyboard.press('Escape')
  await openAccount(page)
  await page.keyboard.press('Escape')
  expect(await page.evaluate(() => (window as unknown as { moved: number }).moved)).toBeLessThan(0.01)
})
