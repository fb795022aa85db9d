import type { APIRequestContext, Browser, Page } from '@playwright/test'
import { invite, issueLink } from '#server/accounts/link.ts'
import type { LinkKind } from '#server/accounts/policy.ts'
import { expect, test } from './fixtures.ts'
import { type Access, carrySession, makeUser, ready, signIn } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const wrong = 'Wrong e-mail address or password.'
const emailField = (page: Page) => page.getByLabel('E-mail address')
const passwordField = (page: Page) => page.getByLabel('Password', { exact: true })
const frame = (page: Page) => page.getByRole('banner')

/** Creates a link for a user. Returns its path. */
async function makeLink(system: RunningSystem, userId: number, kind: LinkKind): Promise<string> {
  return new URL(await issueLink({ db: system.db, publicUrl: system.url }, userId, kind)).pathname
}

/** Invites a user to a new partner. Returns the user and the path of the link. */
async function makeInvited(system: RunningSystem, name?: string) {
  const partner = await system.makePartner()
  const email = `new@${partner.slug}.example`
  const link = (await invite(
    { db: system.db, publicUrl: system.url },
    { email, name: name ?? 'new', role: 'member', partnerId: partner.id },
  ))!
  return { email, partner, path: new URL(link).pathname }
}

/** Returns a function that signs in over HTTP like the form does. */
async function attempts(request: APIRequestContext) {
  const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
  return (access: Access & { callbackUrl?: string }, headers = {}) =>
    request.post('/api/auth/callback/credentials', {
      form: { csrfToken, ...access },
      maxRedirects: 0,
      headers,
    })
}

const withoutScripts = (browser: Browser, system: RunningSystem) =>
  browser.newPage({ javaScriptEnabled: false, baseURL: system.url })

test.describe('the sign-in form', () => {
  test('marks invalid fields, rejects a wrong password, survives a lost connection, and opens the portal', async ({
    page,
    context,
    demo,
  }) => {
    await page.goto('/sign-in')

    await test.step('The fields are labeled for password managers', async () => {
      await expect(emailField(page)).toHaveAttribute('autocomplete', 'username')
      await expect(passwordField(page)).toHaveAttribute('autocomplete', 'current-password')
    })
    await test.step('Invalid fields are marked, and the first is focused', async () => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(emailField(page)).toBeFocused()
      await expect(emailField(page)).toHaveAccessibleDescription(/^Enter your e-mail address/)
      await expect(passwordField(page)).toHaveAccessibleDescription('Enter your password.')
      for (const email of [
        'robin',
        'robin@',
        '@vale.example',
        'a b@vale.example',
        `${'a'.repeat(300)}@vale.example`,
      ]) {
        await signIn(page, { email, password: 'x' })
        await expect(emailField(page)).toBeFocused()
        await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true')
      }
      await emailField(page).fill(` ${demo.email.toUpperCase()} `)
      await expect(emailField(page)).not.toHaveAttribute('aria-invalid')
      await passwordField(page).fill('')
      await page.keyboard.press('Enter')
      await expect(passwordField(page)).toBeFocused()
    })
    await test.step('A wrong password and an unknown e-mail address get the same message, and the address stays filled in', async () => {
      for (const email of [demo.email, 'nobody@sunline-home-energy.example']) {
        await signIn(page, { email, password: 'not the password' })
        await expect(page.getByRole('alert').filter({ hasText: wrong })).toBeVisible()
        await expect(emailField(page)).toHaveValue(email)
        await expect(passwordField(page)).toHaveValue('')
      }
      expect(await page.context().cookies()).not.toContainEqual(
        expect.objectContaining({ name: 'partner-deals.session' }),
      )
    })
    await test.step('Sign-in can be retried after a lost connection', async () => {
      await context.setOffline(true)
      await signIn(page, { ...demo, email: ` ${demo.email.toUpperCase()} ` })
      await expect(page.getByText('Check your connection')).toBeVisible()
      await expect(passwordField(page)).toHaveValue(demo.password)
      await context.setOffline(false)
      await page.getByRole('button', { name: 'Sign in' }).click()
    })
    await test.step('Sign-in opens the portal', async () => {
      await expect(page).not.toHaveURL(/sign-in/)
      await expect(frame(page)).toContainText('Sunline Home Energy')
    })
    await test.step('Sign-in sets a cookie that scripts and other sites cannot use', async () => {
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'partner-deals.session')
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
      expect(await page.content()).not.toContain(cookie!.value)
    })
  })

  test('does not redirect to other sites', async ({ page, request, demo }) => {
    const { email, password } = demo
    const answer = await (await attempts(request))({ email, password, callbackUrl: 'https://evil.example/' })
    expect(answer.headers().location).toMatch(/^http:\/\/localhost:\d+\/?$/)
    const session = await request.get('/api/auth/session')
    expect(await session.json()).toEqual({
      user: { name: 'Dana Whitfield', email },
      expires: expect.any(String),
    })
    expect((await page.request.get('/api/auth/signin')).url()).toMatch(/\/sign-in/)
  })

  test('works by keyboard alone, and continues to the requested page', async ({ page, demo }) => {
    await page.goto('/account')
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Faccount')
    await expect(emailField(page)).toBeFocused()
    await page.keyboard.type(demo.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await expect(page.getByText(wrong)).toBeVisible()
    await expect(passwordField(page)).toBeFocused()
    await page.keyboard.type(demo.password)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect(passwordField(page)).toHaveAttribute('type', 'text')
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/account')
    await expect(frame(page)).toContainText('Sunline Home Energy')
  })

  test('works without scripts', async ({ browser, system, demo }) => {
    const page = await withoutScripts(browser, system)
    await page.goto('/account')
    await expect(page.getByRole('button', { name: 'Show characters' })).toBeHidden()
    await signIn(page, { email: 'nobody', password: '' })
    await expect(emailField(page)).toHaveValue('nobody')
    await expect(emailField(page)).toHaveAccessibleDescription(/^Enter your e-mail address/)
    await expect(passwordField(page)).toHaveAccessibleDescription('Enter your password.')
    await signIn(page, { ...demo, password: 'not the password' })
    await expect(page.getByText(wrong)).toBeVisible()
    await expect(emailField(page)).toHaveValue(demo.email)
    await signIn(page, demo)
    await expect(page).toHaveURL('/account')
    await page.close()
  })

  test('returns a 429 with Retry-After to a program that tries too often', async ({ system, request }) => {
    const { email } = await makeUser(system)
    const attempt = await attempts(request)
    for (let count = 0; count < 20; count++)
      expect((await attempt({ email, password: 'not the password' })).status()).toBe(302)
    for (const headers of [{}, { 'x-auth-return-redirect': '1' }]) {
      const answer = await attempt({ email, password: 'not the password' }, headers)
      expect(answer.status()).toBe(429)
      const wait = Number(answer.headers()['retry-after'])
      expect(wait).toBeGreaterThan(600)
      expect(wait).toBeLessThanOrEqual(900)
      expect(await answer.json()).toEqual({
        code: 'TOO_MANY_REQUESTS',
        message: expect.stringMatching(/^Too many attempts; try again in 1[45] minutes$/),
        errors: null,
      })
    }
  })

  test('logs a failed attempt without e-mail address and password, and audits it for the user', async ({
    system,
    request,
  }) => {
    const user = await makeUser(system)
    // This IP address identifies the log lines of this test.
    const client = '203.0.113.77'
    const attempt = await attempts(request)
    for (const email of [user.email, 'nobody@nowhere.example', 'a secret guess'])
      await attempt({ email, password: 'a secret guess' }, { 'x-forwarded-for': client })
    const lines = () =>
      system
        .output()
        .split('\n')
        .filter((line) => line.includes(client))
        .map((line) => JSON.parse(line) as object)
    await expect.poll(() => lines().length).toBe(3)
    expect(lines()[0]).toMatchObject({ method: 'password', problem: 'wrong', client, msg: 'sign-in refused' })
    for (const secret of ['a secret guess', user.email, 'nowhere.example'])
      expect(system.output()).not.toContain(secret)
    const entries = () => system.db.$client`
      select who, subject, address from audit_entries where action = 'account.sign-in-failed' and (user_id = ${user.id} or who like '%nowhere%' or who like '%guess%')`
    await expect
      .poll(async () => [...(await entries())])
      .toEqual([{ who: user.email, subject: 'wrong password', address: client }])
  })

  test('explains known and unknown errors of the OpenID Connect provider', async ({ request }) => {
    for (const [code, words] of [
      ['uninvited', 'has not been invited'],
      ['unverified', 'no verified e-mail address'],
      ['toString', 'We could not sign you in'],
    ] as const) {
      const search = new URLSearchParams({ error: 'AccessDenied', code })
      expect(await (await request.get(`/sign-in?${search}`)).text(), code).toContain(words)
    }
  })
})

test.describe('an invitation', () => {
  test('requires a valid name and password, by keyboard alone', async ({ page, system }) => {
    const { email, path } = await makeInvited(system)
    await page.goto(path)
    await ready(page, 'form')
    // Password managers need this attribute.
    await expect(passwordField(page)).toHaveAttribute('autocomplete', 'new-password')
    await expect(page.locator('input[autocomplete=username]')).toHaveValue(email)
    await expect(page.getByLabel('Your name')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(passwordField(page)).toHaveAccessibleDescription(/^At least 12 characters/)
    await page.keyboard.type('elevenchars')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Your name')).toBeFocused()
    await expect(page.getByLabel('Your name')).toHaveAccessibleDescription(/^Enter a name/)
    // React Hook Form focuses the first invalid field again from a timer, which would move the focus while the
    // test types.
    await page.evaluate(() => new Promise((resolve) => void setTimeout(resolve)))
    await page.keyboard.type('Kim Reed')
    await page.keyboard.press('Enter')
    await expect(passwordField(page)).toBeFocused()
    await expect(passwordField(page)).toHaveAccessibleDescription(
      'Choose a password of 12 to 256 characters.',
    )
    await page.keyboard.press('End')
    await page.keyboard.type('s')
    await expect(passwordField(page)).not.toHaveAttribute('aria-invalid')
    await page.keyboard.press('Enter')
    await expect(frame(page)).toContainText('A partner of a test')
  })

  test('works without scripts', async ({ browser, system }) => {
    const page = await withoutScripts(browser, system)
    const { path } = await makeInvited(system)
    await page.goto(path)
    await page.getByLabel('Your name').fill('Kim Reed')
    await passwordField(page).fill('short')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(page.getByLabel('Your name')).toHaveValue('Kim Reed')
    await expect(passwordField(page)).toHaveAccessibleDescription(
      'Choose a password of 12 to 256 characters.',
    )
    await passwordField(page).fill('a password to remember')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(page).not.toHaveURL(/link/)
    await page.goto('/account')
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Kim Reed')
    await page.close()
  })
})

test.describe('a mailed link', () => {
  test('signs in when the button is pressed, not when the link is opened', async ({
    page,
    request,
    system,
  }) => {
    const user = await makeUser(system, { name: 'Kim Reed' })
    const path = await makeLink(system, user.id, 'sign-in')
    await request.get(path)
    const opened = await page.goto(path)
    // The URL is a credential, so it must not leak in the Referer header.
    expect(opened!.headers()['referrer-policy']).toBe('same-origin')
    await expect(page.getByText(user.email)).toBeVisible()
    await page.getByRole('button', { name: 'Sign in as Kim Reed' }).click()
    await expect(frame(page)).toContainText('A partner of a test')
    expect((await page.request.get(path)).status()).toBe(404)
  })

  test("replaces another user's session", async ({ page, system }) => {
    const [first, second] = [
      await makeUser(system, { name: 'Ana First' }),
      await makeUser(system, { name: 'Ben Second' }),
    ]
    await carrySession(page, first)
    await page.goto(await makeLink(system, second.id, 'sign-in'))
    await expect(
      page.getByText('Ana First is signed in to this browser and will be signed out.'),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Sign in as Ben Second' }).click()
    await expect(frame(page).getByRole('button', { name: 'Account: Ben Second' })).toBeVisible()
    expect(await (await page.request.get('/account')).text()).toContain(second.email)
  })
})

test('an invalid link says what to do', async ({ page, system }) => {
  await test.step('An invitation withdrawn while open is rejected', async () => {
    const { email, path } = await makeInvited(system)
    await page.goto(path)
    await system.db.$client`delete from users where email = ${email}`
    await page.getByLabel('Your name').fill('Kim Reed')
    await passwordField(page).fill('a password to remember')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Ask for a new one' })).toBeVisible()
  })
  await test.step('An expired invitation shows who can renew it', async () => {
    const { email, partner, path } = await makeInvited(system)
    await makeUser(system, { role: 'admin', name: 'Olga Admin', partner })
    await system.db.$client`
      update links set expires_at = now() where user_id = (select id from users where email = ${email})`
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'This invitation has expired' })).toBeVisible()
    await expect(page.getByText('Ask Olga Admin for a new one.')).toBeVisible()
    await page.getByRole('link', { name: 'Sign in with your password' }).click()
    await expect(page).toHaveURL('/sign-in')
  })
  await test.step('An invalid link says whom to ask, and leads to sign-in', async () => {
    for (const path of [`/link/${'A'.repeat(43)}`, '/link/%00', `/link/${'a'.repeat(3000)}`])
      expect((await page.request.get(path)).status()).toBeGreaterThanOrEqual(400)
    expect((await page.goto('/link/x'))!.status()).toBeGreaterThanOrEqual(400)
    await expect(page.getByText('Ask the person who gave it to you for a new one.')).toBeVisible()
    await page.getByRole('link', { name: 'Sign in with your password' }).click()
    await expect(page).toHaveURL('/sign-in')
  })
  await test.step('Without mail, a forgotten password is referred to an admin', async () => {
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(
      page.getByText('The installer’s staff can give you a link to set a new password.'),
    ).toBeVisible()
    await expect(page.getByText('Ask the admin of your company to get one for you.')).toBeVisible()
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await expect(page).toHaveURL('/sign-in')
  })
})

test('the demo prints a working account of each role', async ({ system, playwright }) => {
  const printed = [...system.output().matchAll(/^ +(admin|member|operator) +(\S+@\S+) +(\S+)$/gm)]
  expect(printed.map(([, role]) => role)).toEqual(['admin', 'member', 'operator'])
  for (const [, , email, password] of printed) {
    const browser = await playwright.request.newContext({ baseURL: system.url })
    await (
      await attempts(browser)
    )({ email: email!, password: password! })
    expect(await (await browser.get('/api/auth/session')).json()).toMatchObject({ user: { email } })
    await browser.dispose()
  }
})
