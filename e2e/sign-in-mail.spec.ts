import { type Page, expect, test } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import { invite } from '#server/accounts/links/send-link.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts'
import { clearCookies, makeUser, violations } from './portal-user.ts'
import { type RunningSystem, startSystem } from './system.ts'

// The pages before the portal with mail and an OpenID Connect provider.

let mailServer: MailServer
let provider: OpenIdProvider
let system: RunningSystem
/** The host name in the URL: cookies are per host name. */
let home: string

test.beforeAll(async () => {
  mailServer = await startMailServer()
  const port = await freePort()
  home = `http://localhost:${port}`
  const client = ['partner-deals', 'a secret'] as const
  provider = await startOpenIdProvider(...client, [`${home}/api/auth/callback/oidc`])
  system = await startSystem({
    env: {
      PORT: String(port),
      SMTP_URL: mailServer.url,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: client[0],
      OIDC_CLIENT_SECRET: client[1],
    },
  })
})
test.afterAll(async () => {
  await system.dispose()
  await provider.stop()
  await mailServer.close()
})

/** Requests a link like a user. Returns the path of the link in the mail. */
async function askForLink(page: Page, email: string, button: string): Promise<string> {
  const before = mailServer.mails.length
  await page.goto(`${home}/sign-in`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByRole('button', { name: button }).click()
  await expect(page.getByRole('heading', { name: 'Check your e-mail' })).toBeVisible()
  await expect.poll(() => mailServer.mails.length).toBe(before + 1)
  return /\/link\/[\w-]+/.exec(mailServer.mails.at(-1)!.text)![0]
}

test('an invitation ends with the first sign-in by a mailed link or a provider, which it cannot undo', async ({
  page,
  browser,
}) => {
  for (const means of ['link', 'provider'] as const) {
    const { id: partnerId, slug } = await system.makePartner()
    const email = `new-${means}@${slug}.example`
    const invitation = new URL(
      (await invite(
        { db: system.db, publicUrl: home },
        { email, name: 'Robin Vale', role: 'member', partnerId },
      ))!,
    ).pathname
    // Opened earlier by someone who saw the link.
    const stranger = await browser.newPage()
    await stranger.goto(home + invitation)
    if (means === 'link') {
      await page.goto(home + (await askForLink(page, email, 'Send sign-in link')))
      await page.getByRole('button', { name: 'Sign in as Robin Vale' }).click()
    } else {
      provider.user = { sub: email, email, email_verified: true }
      await page.goto(`${home}/sign-in`)
      await page.getByRole('button', { name: 'Continue with localhost' }).click()
    }
    await expect(page.getByRole('banner')).toContainText('A partner of a test')
    await stranger.getByLabel('Password', { exact: true }).fill('a password of a stranger')
    await stranger.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(stranger.getByRole('alert').filter({ hasText: 'Ask for a new one' })).toBeVisible()
    await stranger.close()
    await page.goto(`${home}/account`)
    await expect(page.getByRole('main')).toContainText(email)
    await clearCookies(page)
  }
})

test('requesting a link reveals no accounts, and reports an invalid e-mail address', async ({ page }) => {
  await page.goto(`${home}/sign-in/forgot`)
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('E-mail address')).toBeFocused()
  await expect(page.getByLabel('E-mail address')).toHaveAccessibleDescription(/^Enter your e-mail address/)
  await page.keyboard.type('@nowhere.example')
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('If an account with this e-mail address exists, a link is on its way.'),
  ).toBeVisible()
  await page.goto(`${home}/link/none`)
  await page.getByRole('link', { name: 'Get a new link' }).click()
  await expect(page).toHaveURL(`${home}/sign-in/forgot`)
})

test('a link can be requested without scripts', async ({ browser }) => {
  const { email } = await makeUser(system)
  const page = await browser.newPage({ javaScriptEnabled: false })
  expect(await askForLink(page, email, 'Send sign-in link')).not.toBe('')
  await page.close()
})

test('who signs out of the provider, too, has to sign in there again', async ({ page }) => {
  const { email } = await makeUser(system)
  provider.user = { sub: email, email, email_verified: true }
  const before = provider.signIns()
  const signIn = async () => {
    await page.goto(`${home}/account`)
    await page.getByRole('button', { name: 'Continue with localhost' }).click()
    await expect(page.getByRole('main')).toContainText(email)
  }
  await signIn()
  await clearCookies(page, { name: /^partner-deals/ })
  // The provider still knows the browser.
  await signIn()
  expect(provider.signIns()).toBe(before + 1)
  await page.getByRole('button', { name: 'Robin Vale' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign out of localhost, too' }).click()
  await page.getByRole('button', { name: 'Sign me out' }).click()
  await expect(page.getByRole('heading', { name: 'Signed out' })).toBeVisible()
  await signIn()
  expect(provider.signIns()).toBe(before + 2)
})

// pages-fit.spec.ts covers the pages without mail and a provider.
test('the pages for mailed links are accessible in light and dark', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const path of ['/sign-in', '/sign-in/forgot', '/sign-in/forgot?sent=reset']) {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(home + path)
    expect(await violations(page)).toEqual([])
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(360)
  }
})
