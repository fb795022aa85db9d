import type { Browser, Page } from '@playwright/test'
import type { LinkKind } from '#server/accounts/links/link.ts'
import { invite, issueLink } from '#server/accounts/links/send-link.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import {
  carrySession,
  clearCookies,
  enter,
  hostileNames,
  hostileTexts,
  makeUser,
  ready,
  signIn,
  watch,
} from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const wrong = 'Wrong e-mail address or password.'
const emailField = (page: Page) => page.getByLabel('E-mail address')
const passwordField = (page: Page) => page.getByLabel('Password', { exact: true })
const frame = (page: Page) => page.getByRole('banner')

/** Returns the path of a new link for a user. */
async function makeLink(system: RunningSystem, userId: number, kind: LinkKind): Promise<string> {
  return new URL(await issueLink({ db: system.db, publicUrl: system.url }, userId, kind)).pathname
}

/** A user invited to a new partner, and the path of the link. */
async function makeInvited(system: RunningSystem, name?: string) {
  const { id, slug } = await system.makePartner()
  const email = `new@${slug}.example`
  const link = (await invite(
    { db: system.db, publicUrl: system.url },
    { email, name: name ?? 'new', role: 'member', partnerId: id },
  ))!
  return { email, slug, partnerId: id, path: new URL(link).pathname }
}

const withoutScripts = (browser: Browser, system: RunningSystem) =>
  browser.newPage({ javaScriptEnabled: false, baseURL: system.url })

test.describe('signing in', () => {
  test('marks invalid fields, refuses a wrong password, survives a lost connection, and opens the portal', async ({
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
    await test.step('A wrong password and an unknown address are reported alike, and the address stays', async () => {
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
    await test.step('It can be tried again after a lost connection', async () => {
      await context.setOffline(true)
      await signIn(page, { ...demo, email: ` ${demo.email.toUpperCase()} ` })
      await expect(page.getByText('Check your connection')).toBeVisible()
      await expect(passwordField(page)).toHaveValue(demo.password)
      await context.setOffline(false)
      await page.getByRole('button', { name: 'Sign in' }).click()
    })
    await test.step('It opens the portal', async () => {
      await expect(page).not.toHaveURL(/sign-in/)
      await expect(frame(page)).toContainText('Sunline Home Energy')
    })
    await test.step('It sets a cookie that scripts and other sites cannot use', async () => {
      const cookie = (await page.context().cookies()).find(({ name }) => name === 'partner-deals.session')
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
      expect(await page.content()).not.toContain(cookie!.value)
    })
  })

  // local-path.test.ts covers which URLs are our own.
  test('does not redirect to another site', async ({ page, demo, system }) => {
    const seen = watch(page)
    const visited: string[] = []
    page.on('request', (request) => void visited.push(new URL(request.url()).origin))
    await page.goto(`/sign-in?${new URLSearchParams({ callbackUrl: '/\\evil.example' })}`)
    await signIn(page, demo)
    await expect(frame(page)).toContainText('Sunline Home Energy')
    expect(new URL(page.url()).origin).toBe(system.url)
    expect(new Set(visited)).toEqual(new Set([system.url]))
    expect(seen).toEqual([])
  })

  test("nor does next-auth's own URL", async ({ page, request, demo }) => {
    const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
    const { email, password } = demo
    const answer = await request.post('/api/auth/callback/credentials', {
      form: { csrfToken, email, password, callbackUrl: 'https://evil.example/' },
      maxRedirects: 0,
    })
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

  test('is throttled after too many attempts, without ending sessions', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    await carrySession(page, user)
    const other = await browser.newPage({ baseURL: system.url })
    await other.goto('/sign-in')
    const { csrfToken } = (await (await other.request.get('/api/auth/csrf')).json()) as { csrfToken: string }
    for (let attempts = 0; attempts < 20; attempts++) {
      await other.request.post('/api/auth/callback/credentials', {
        form: { csrfToken, email: user.email, password: 'wrong' },
        maxRedirects: 0,
      })
    }
    await signIn(other, user)
    await expect(other.getByText(/^Too many attempts\. Try again in 1[45] minutes\.$/)).toBeVisible()
    await other.close()
    const account = await page.request.get('/account', { maxRedirects: 0 })
    expect(account.status()).toBe(200)
    expect(await account.text()).toContain('Your account')
  })

  test('too often by a program is a 429 with Retry-After, for existing and unknown users', async ({
    system,
    request,
  }) => {
    const user = await makeUser(system)
    const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
    for (const email of [user.email, `nobody@${user.slug}.example`]) {
      const attempt = (headers = {}) =>
        request.post('/api/auth/callback/credentials', {
          form: { csrfToken, email, password: 'not the password' },
          maxRedirects: 0,
          headers,
        })
      const statuses: number[] = []
      for (let attempts = 0; attempts < 20; attempts++) statuses.push((await attempt()).status())
      expect(statuses).toEqual(Array(20).fill(302))
      for (const headers of [{}, { 'x-auth-return-redirect': '1' }]) {
        const answer = await attempt(headers)
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
    }
  })

  test('that fails is logged without e-mail address and password, and audited for the user', async ({
    system,
    request,
  }) => {
    const user = await makeUser(system)
    const { csrfToken } = (await (await request.get('/api/auth/csrf')).json()) as { csrfToken: string }
    // Earlier tests may write their log lines at any time.
    const client = '203.0.113.77'
    const attempt = (email: string) =>
      request.post('/api/auth/callback/credentials', {
        form: { csrfToken, email, password: 'a secret guess' },
        maxRedirects: 0,
        headers: { 'x-forwarded-for': client },
      })
    const entries = () => system.db.$client<
      { who: string; subject: string; address: string; userId: number }[]
    >`
      select who, subject, address, user_id as "userId" from audit_entries where action = 'account.sign-in-failed' and (user_id = ${user.id} or who like '%nowhere%' or who like '%guess%') order by id`
    for (let attempts = 0; attempts < 20; attempts++) await attempt(user.email)
    // They are recorded after the response, in any order.
    await expect.poll(async () => (await entries()).length).toBe(20)
    for (let attempts = 20; attempts < 25; attempts++) await attempt(user.email)
    await attempt('nobody@nowhere.example')
    await attempt('a secret guess')
    const lines = () =>
      system
        .output()
        .split('\n')
        .filter((line) => line.includes(client))
        .map((line) => JSON.parse(line) as object)
    await expect.poll(() => lines().length).toBe(27)
    expect(lines()[0]).toMatchObject({ method: 'password', problem: 'wrong', client, msg: 'sign-in refused' })
    for (const secret of ['a secret guess', user.email, 'nowhere.example'])
      expect(system.output()).not.toContain(secret)
    await expect.poll(async () => (await entries()).length).toBe(21)
    const recorded = await entries()
    for (const entry of recorded)
      expect(entry).toEqual({
        who: user.email,
        subject: expect.stringMatching(/^(?:wrong password|too many attempts, attempt 21 in 15 minutes)$/),
        address: client,
        userId: user.id,
      })
    expect(recorded.filter(({ subject }) => subject.startsWith('too many'))).toHaveLength(1)
  })

  test('explains errors of the provider, known and unknown', async ({ page }) => {
    const seen = watch(page)
    for (const [code, words] of [
      ['uninvited', 'has not been invited'],
      ['unverified', 'no verified e-mail address'],
      ...['toString', hostileTexts.join(' ')].map((text) => [text, 'We could not sign you in']),
    ] as const) {
      await page.goto(`/sign-in?${new URLSearchParams({ error: 'AccessDenied', code })}`)
      await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    }
    expect(seen).toEqual([])
  })
})

test.describe('an invitation', () => {
  test('sets a password, opens the portal, and works once', async ({ page, system }) => {
    const { slug } = await system.makePartner()
    const email = `new@${slug}.example`
    const { stdout } = await system.operator(['user', 'invite', email, '--partner', slug, '--role', 'member'])
    const path = new URL(stdout.trim()).pathname
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Welcome to A partner of a test' })).toBeVisible()
    await expect(page.getByText(email)).toBeVisible()
    await page.getByLabel('Your name').fill('Kim Reed')
    await passwordField(page).fill('a password to remember')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(page).not.toHaveURL(/link/)
    await expect(frame(page)).toContainText('A partner of a test')
    await expect(frame(page).getByRole('button', { name: 'Account: Kim Reed' })).toBeVisible()
    await clearCookies(page)
    expect((await page.goto(path))!.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible()
    await page.getByRole('link', { name: 'Sign in with your password' }).click()
    await signIn(page, { email, password: 'a password to remember' })
    await expect(frame(page).getByRole('button', { name: 'Account: Kim Reed' })).toBeVisible()
  })

  test('asks for a valid name and password, by keyboard alone', async ({ page, system }) => {
    const { email, path } = await makeInvited(system)
    await page.goto(path)
    await ready(page, 'form')
    // For password managers.
    await expect(passwordField(page)).toHaveAttribute('autocomplete', 'new-password')
    await expect(page.locator('input[autocomplete=username]')).toHaveValue(email)
    await expect(page.getByLabel('Your name')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(passwordField(page)).toHaveAccessibleDescription(/^At least 12 characters/)
    await page.keyboard.type('elevenchars')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Your name')).toBeFocused()
    await expect(page.getByLabel('Your name')).toHaveAccessibleDescription(/^Enter a name/)
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

  test('is shown as text, even hostile text', async ({ page, system }) => {
    const seen = watch(page)
    for (const text of hostileNames) {
      const { path } = await makeInvited(system, text)
      await page.goto(path)
      await expect(page.getByLabel('Your name')).toHaveValue(text)
      await passwordField(page).fill(`${text} and more`)
      await page.getByRole('button', { name: 'Show characters' }).click()
      await page.getByRole('button', { name: 'Accept and sign in' }).click()
      await expect(frame(page)).toBeVisible()
      await clearCookies(page)
    }
    for (const token of hostileTexts)
      // Encoded slashes and control characters are no path.
      expect([400, 404]).toContain((await page.request.get(`/link/${encodeURIComponent(token)}`)).status())
    expect(seen).toEqual([])
  })
})

test.describe('a link', () => {
  test('sets a new password and ends all sessions', async ({ page, browser, system }) => {
    const user = await makeUser(system)
    const elsewhere = await browser.newPage({ baseURL: system.url })
    await enter(elsewhere, user)
    await page.goto(await makeLink(system, user.id, 'reset'))
    await expect(page.getByText(user.email)).toBeVisible()
    await expect(page.getByLabel('New password')).toBeFocused()
    await page.keyboard.type('another password')
    await page.keyboard.press('Enter')
    await expect(frame(page)).toBeVisible()
    await elsewhere.reload()
    await expect(elsewhere).toHaveURL(/sign-in/)
    await signIn(elsewhere, user)
    await expect(elsewhere.getByText(wrong)).toBeVisible()
    await signIn(elsewhere, { ...user, password: 'another password' })
    await expect(elsewhere).toHaveURL('/account')
    await elsewhere.close()
    const entries = await system.db.$client<
      { said: string }[]
    >`select concat_ws(' ', action, subject, who, address) as said from audit_entries where user_id = ${user.id} and action = 'account.password-set'`
    expect(entries.map(({ said }) => said)).toEqual([
      expect.stringMatching(`^account.password-set reset link ${user.email} (?:127.0.0.1|::1)$`),
    ])
  })

  test('signs in when the button is pressed, not when it is opened', async ({ page, request, system }) => {
    const user = await makeUser(system, { name: 'Kim Reed' })
    const path = await makeLink(system, user.id, 'sign-in')
    await request.get(path)
    const opened = await page.goto(path)
    // The URL is a credential, so it must not leak by referrer.
    expect(opened!.headers()['referrer-policy']).toBe('same-origin')
    await expect(page.getByText(user.email)).toBeVisible()
    await page.getByRole('button', { name: 'Sign in as Kim Reed' }).click()
    await expect(frame(page)).toContainText('A partner of a test')
    expect((await page.request.get(path)).status()).toBe(404)
  })

  test('of one user replaces the session of another', async ({ page, system }) => {
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

test('a link that no longer works says what to do', async ({ page, system }) => {
  await test.step('An invitation that is withdrawn while it is open is refused', async () => {
    const { email, path } = await makeInvited(system)
    await page.goto(path)
    await system.db.$client`delete from users where email = ${email}`
    await page.getByLabel('Your name').fill('Kim Reed')
    await passwordField(page).fill('a password to remember')
    await page.getByRole('button', { name: 'Accept and sign in' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Ask for a new one' })).toBeVisible()
  })
  await test.step('An expired invitation shows who can renew it', async () => {
    const { email, slug, partnerId, path } = await makeInvited(system)
    await createUser(system.db, {
      email: `admin@${slug}.example`,
      password: 'a password to remember',
      name: 'Olga Admin',
      role: 'admin',
      partnerId,
    })
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
  await test.step('Without mail a forgotten password is referred to an admin', async () => {
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(
      page.getByText('The installer’s staff can give you a link to set a new password.'),
    ).toBeVisible()
    await expect(page.getByText('Ask the admin of your company to get one for you.')).toBeVisible()
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await expect(page).toHaveURL('/sign-in')
  })
})

test('the demonstration prints an account of each role that signs in', async ({ system, browser }) => {
  const printed = [...system.output().matchAll(/^ +(admin|member|operator) +(\S+@\S+) +(\S+)$/gm)]
  expect(printed.map(([, role]) => role)).toEqual(['admin', 'member', 'operator'])
  for (const [, , email, password] of printed) {
    await using page = await browser.newPage({ baseURL: system.url })
    await page.goto('/sign-in')
    await signIn(page, { email: email!, password: password! })
    await expect(page).toHaveURL('/')
  }
})

test('without a mail server nothing is sent, and the inviter is shown the link', async ({
  system,
  request,
}) => {
  const { slug } = await system.makePartner()
  const email = `ana@${slug}.example`
  const invited = await system.operator(['user', 'invite', email, '--partner', slug, '--json'])
  expect(JSON.parse(invited.stdout)).toMatchObject({ email, role: 'member', partner: slug, mailed: null })
  const means = await request.get('/api/trpc/accounts.means')
  expect(await means.json()).toMatchObject({ result: { data: { json: { mail: false, oidc: null } } } })
  const answer = await request.post('/api/trpc/accounts.requestReset', {
    headers: { origin: system.url, 'content-type': 'application/json' },
    data: Buffer.from(JSON.stringify({ json: { email } })),
  })
  expect(await answer.json()).toEqual({ result: { data: { json: {} } } })
})
