import { type APIRequestContext, type Page, expect, request, test } from '@playwright/test'
import superjson, { type SuperJSONResult } from 'superjson'
import { freePort } from '#db/free-port.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type OpenIdProvider, leaveProvider, startOpenIdProvider } from './openid-provider.ts'
import { clearCookies, makeUser, violations } from './portal-user.ts'
import { type RunningSystem, startSystem } from './system.ts'

// Signing in with mail and an OpenID Connect provider, both over plain HTTP and in a browser.

const password = 'a long enough password'
const another = 'another long password'
let mailServer: MailServer
let provider: OpenIdProvider
let system: RunningSystem
/** URL with the host name to use: cookies belong to a host name. */
let home: string

test.beforeAll(async () => {
  mailServer = await startMailServer()
  const port = await freePort()
  home = `http://localhost:${port}`
  const client = ['partner-deals', 'a secret: 100%'] as const
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
  await provider.close()
  await mailServer.close()
})
test.beforeEach(() => {
  provider.forge = null
})

/** Returns an HTTP client that keeps cookies and extracts what forms need. */
async function openBrowser(): Promise<APIRequestContext> {
  return request.newContext({
    baseURL: home,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  })
}

/** Posts a form to next-auth. Returns the URL that next-auth redirects to. */
async function post(browser: APIRequestContext, path: string, form: Record<string, string>): Promise<string> {
  const { csrfToken } = (await (await browser.get('/api/auth/csrf')).json()) as { csrfToken: string }
  const answer = await browser.post(`/api/auth/${path}`, { form: { csrfToken, ...form }, maxRedirects: 0 })
  // Clients over the rate limit get a Retry-After header instead of a redirect to the form.
  if (answer.status() === 429) {
    expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0)
    return refusedFor('throttled')
  }
  expect(answer.status()).toBe(302)
  return answer.headers()['location']!
}

const signIn = (browser: APIRequestContext, email: string, typed = password) =>
  post(browser, 'callback/credentials', { email, password: typed })
const openLink = (browser: APIRequestContext, token: string, form: Record<string, string> = {}) =>
  post(browser, 'callback/link', { token, ...form })

const refusedFor = (code: string) => `${home}/sign-in?error=CredentialsSignin&code=${code}`
const letIn = () => expect.stringMatching(new RegExp(`^${home}/?$`)) as unknown

/** Signs in at the provider and returns to the product. Returns the final URL. */
async function signInAtProvider(
  browser: APIRequestContext,
  callbackUrl = '/deals',
  change: (back: URL) => void = () => {},
): Promise<string> {
  const back = new URL(await returnFromProvider(browser, callbackUrl))
  change(back)
  return locationOf(browser, back.href)
}

/** Signs in at the provider. Returns the URL that the provider redirects to. */
async function returnFromProvider(browser: APIRequestContext, callbackUrl = '/deals'): Promise<string> {
  const there = await post(browser, 'signin/oidc', { callbackUrl })
  return leaveProvider(provider.issuer, there, (url) => locationOf(browser, url))
}

const locationOf = async (browser: APIRequestContext, url: string) =>
  (await browser.get(url, { maxRedirects: 0 })).headers()['location']!

/** Returns the output of a procedure, or its error code. */
async function call(
  browser: APIRequestContext,
  name: string,
  input?: unknown,
  partner?: string,
): Promise<any> {
  const body = JSON.stringify(superjson.serialize(input))
  const answer = /\.(?:me|means|link|sessions|partners)$/.test(name)
    ? await browser.get(
        `/api/trpc/${name}?${new URLSearchParams({ input: body, ...(partner === undefined ? {} : { partner }) })}`,
      )
    : await browser.post(`/api/trpc/${name}`, {
        headers: { origin: home, 'content-type': 'application/json' },
        data: Buffer.from(body),
      })
  const json = await answer.json()
  return answer.ok() ? superjson.deserialize(json.result.data as SuperJSONResult) : json.error.json.data.code
}

const makeEmail = () => `${crypto.randomUUID()}@sunline.example`

/** Returns the token in the latest mail to an e-mail address, after `count` mails have arrived. */
async function mailedToken(email: string, count = 1): Promise<string> {
  const own = () => mailServer.to(email)
  await expect.poll(() => own().length).toBe(count)
  return new RegExp(`^${home}/link/([\\w-]{43})$`, 'm').exec(own().at(-1)!.text)![1]!
}

test.describe('sign-in with a password', () => {
  test('signs in; failed attempts from elsewhere do not lock out a known browser', async () => {
    const { email } = await makeUser(system)
    const [known, fresh] = [await openBrowser(), await openBrowser()]
    expect(await signIn(known, ` ${email.toUpperCase()}`)).toEqual(letIn())
    expect(await call(known, 'accounts.me')).toMatchObject({ email, hasPassword: true })
    expect(await signIn(fresh, email, 'wrong')).toBe(refusedFor('wrong'))
    const attempts = await Promise.all(Array.from({ length: 22 }, () => signIn(fresh, email, 'wrong')))
    expect(attempts.toSorted()).toEqual([
      ...Array(3).fill(refusedFor('throttled')),
      ...Array(19).fill(refusedFor('wrong')),
    ])
    expect(await signIn(fresh, email)).toBe(refusedFor('throttled'))
    expect(await signIn(known, email)).toEqual(letIn())
  })

  test('starts one session, ends the previous session of this browser, and records the visit', async () => {
    const { email } = await makeUser(system)
    const browser = await openBrowser()
    for (let round = 0; round < 3; round++) await signIn(browser, email)
    expect(await call(browser, 'accounts.me')).toMatchObject({ email })
    const visits = () => system.db.$client`select from users where email = ${email} and seen_at is not null`
    await expect.poll(async () => (await visits()).length).toBe(1)
    expect(await call(browser, 'accounts.sessions')).toEqual([
      {
        id: expect.any(String),
        isThis: true,
        browser: 'Firefox on Linux',
        signedInAt: expect.any(Date),
        expiresAt: expect.any(Date),
      },
    ])
  })
})

test.describe('a mailed link', () => {
  test('resets the password and signs in once, even while sign-in is throttled', async () => {
    const { email } = await makeUser(system)
    const [browser, other] = [await openBrowser(), await openBrowser()]
    await signIn(other, email)
    for (let attempts = 0; attempts < 21; attempts++) await signIn(browser, email, 'wrong')
    expect(await call(browser, 'accounts.requestReset', { email })).toEqual({})
    const token = await mailedToken(email)
    expect(await call(browser, 'accounts.link', { token })).toMatchObject({
      kind: 'reset',
      email,
      name: 'Robin Vale',
    })
    expect(await openLink(browser, token, { password: 'short' })).toBe(refusedFor('invalid'))
    expect(await openLink(browser, token, { password: another })).toEqual(letIn())
    expect(await call(browser, 'accounts.me')).toMatchObject({ email })
    expect(await call(other, 'accounts.me')).toBe('UNAUTHORIZED')
    expect(await openLink(await openBrowser(), token, { password: 'yet another password' })).toBe(
      refusedFor('expired'),
    )
    expect(await call(browser, 'accounts.link', { token })).toBe('NOT_FOUND')
    // From now on, the browser is known.
    expect(await signIn(browser, email, another)).toEqual(letIn())
  })

  test('never appears in the log', async () => {
    const token = 'a-token_that-must-not-be-in-the-log-0123456'
    const browser = await openBrowser()
    await browser.get(`/link/${token}`)
    await browser.get(`/%6cink/${token}x`)
    await expect.poll(() => system.output()).toContain('"path":"/link/…"')
    expect(system.output()).not.toContain(token)
  })
})

test.describe('sign-in with an OpenID Connect provider', () => {
  test('signs in invited users with state, nonce and PKCE, and returns to the requested page', async () => {
    const { email } = await makeUser(system)
    provider.user = { sub: crypto.randomUUID(), email: email.toUpperCase(), email_verified: true }
    const browser = await openBrowser()
    const authorizationUrl = new URL(await post(browser, 'signin/oidc', { callbackUrl: '/deals?page=2' }))
    expect(authorizationUrl.origin).toBe(provider.issuer)
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(authorizationUrl.searchParams.get(name)!.length).toBeGreaterThan(20)
    expect(Object.fromEntries(authorizationUrl.searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      response_type: 'code',
      client_id: 'partner-deals',
      scope: 'openid profile email',
      redirect_uri: `${home}/api/auth/callback/oidc`,
    })
    expect(await signInAtProvider(browser, '/deals?page=2')).toBe(`${home}/deals?page=2`)
    expect(await call(browser, 'accounts.me')).toMatchObject({ email, name: 'Robin Vale' })
    expect(await call(browser, 'accounts.sessions')).toMatchObject([
      { isThis: true, browser: 'Firefox on Linux' },
    ])
    // The user is now identified by the subject only. Someone else who takes over the e-mail address is a
    // stranger.
    provider.user = { sub: provider.user.sub }
    expect(await signInAtProvider(await openBrowser())).toBe(`${home}/deals`)
    provider.user = { sub: crypto.randomUUID(), email, email_verified: true }
    const stranger = await openBrowser()
    expect(await signInAtProvider(stranger)).toBe(`${home}/sign-in?error=AccessDenied&code=uninvited`)
    expect(await call(stranger, 'accounts.me')).toBe('UNAUTHORIZED')
  })

  test('tells unknown users why they cannot sign in', async () => {
    const { email } = await makeUser(system)
    for (const [claims, code] of [
      [{ email: makeEmail(), email_verified: true }, 'uninvited'],
      [{ email }, 'unverified'],
    ] as const) {
      provider.user = { sub: crypto.randomUUID(), ...claims }
      const browser = await openBrowser()
      expect(await signInAtProvider(browser)).toBe(`${home}/sign-in?error=AccessDenied&code=${code}`)
      expect(await call(browser, 'accounts.me')).toBe('UNAUTHORIZED')
    }
  })

  test('signs in with an e-mail address found only in the ID token', async () => {
    const { email } = await makeUser(system)
    provider.user = { sub: crypto.randomUUID() }
    provider.forge = (claims) => provider.sign({ ...claims, email, email_verified: true })
    const browser = await openBrowser()
    expect(await signInAtProvider(browser)).toBe(`${home}/deals`)
    expect(await call(browser, 'accounts.me')).toMatchObject({ email })
  })

  test('rejects altered responses and responses in another browser', async () => {
    const { email } = await makeUser(system)
    const browser = await openBrowser()
    provider.user = { sub: crypto.randomUUID(), email, email_verified: true }
    const refused = new RegExp(`^${home}/sign-in\\?error=`)
    expect(
      await signInAtProvider(browser, '/deals', ({ searchParams }) => searchParams.set('state', 'another')),
    ).toMatch(refused)
    expect(
      await signInAtProvider(browser, '/deals', ({ searchParams }) => searchParams.set('code', 'another')),
    ).toMatch(refused)
    expect(
      await signInAtProvider(browser, '/deals', ({ searchParams }) => {
        searchParams.delete('code')
        searchParams.set('error', 'access_denied')
      }),
    ).toBe(`${home}/sign-in?error=OAuthCallbackError`)
    provider.forge = (idToken) => provider.sign({ ...idToken, nonce: 'another' })
    expect(await signInAtProvider(browser)).toMatch(refused)
    await expect.poll(() => system.output()).toContain('nonce')
    provider.forge = null
    // A response meant for one browser does not work in another.
    const back = await returnFromProvider(browser)
    const other = await openBrowser()
    expect(await locationOf(other, back)).toMatch(refused)
    for (const each of [browser, other]) expect(await call(each, 'accounts.me')).toBe('UNAUTHORIZED')
    expect(system.output()).not.toContain(email)
  })
})

/** Requests a link by e-mail in the browser. Returns the path of the link in the mail. */
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

test('requesting a link does not reveal accounts, and reports invalid e-mail addresses', async ({ page }) => {
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

test('after signing out of the provider, the user must sign in there again', async ({ page }) => {
  const { email } = await makeUser(system)
  provider.user = { sub: email, email, email_verified: true }
  const before = provider.signIns()
  const signInAgain = async () => {
    await page.goto(`${home}/account`)
    await page.getByRole('button', { name: 'Continue with localhost' }).click()
    await expect(page.getByRole('main')).toContainText(email)
  }
  await signInAgain()
  await clearCookies(page, { name: /^partner-deals/ })
  // The browser still has a session at the provider.
  await signInAgain()
  expect(provider.signIns()).toBe(before + 1)
  await page.getByRole('button', { name: 'Robin Vale' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Also sign out of localhost' }).click()
  await page.getByRole('button', { name: 'Sign me out' }).click()
  await expect(page.getByRole('heading', { name: 'Signed out' })).toBeVisible()
  await signInAgain()
  expect(provider.signIns()).toBe(before + 2)
})

// pages-fit.spec.ts covers the pages without mail and an OpenID Connect provider.
test('the pages for requesting mailed links are accessible in light and dark themes', async ({ page }) => {
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

test.describe('a system served over https', () => {
  test('every cookie is Secure, HttpOnly, SameSite and host-only', async () => {
    const redirectUri = 'https://deals.example.com/api/auth/callback/oidc'
    const itsProvider = await startOpenIdProvider('a', 'b', [redirectUri])
    const secure = await startSystem({
      env: {
        PUBLIC_URL: 'https://deals.example.com',
        OIDC_ISSUER: itsProvider.issuer,
        OIDC_CLIENT_ID: 'a',
        OIDC_CLIENT_SECRET: 'b',
      },
    })
    try {
      const { email } = await makeUser(secure)
      const jar = new Map<string, string>()
      const seen = new Set<string>()
      const ask = async (path: string, form?: Record<string, string>) => {
        const answer = await fetch(secure.url + path, {
          redirect: 'manual',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
          ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
        })
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
          for (const flag of [/; HttpOnly/i, /; Secure/i, /; SameSite=Lax/i, /; Path=\/(?:;|$)/i])
            expect(cookie).toMatch(flag)
          expect(cookie).not.toMatch(/; Domain/i)
          expect(name).toMatch(/^__Host-partner-deals\./)
          seen.add(name!.replace(/device-.*/, 'device').replace('__Host-partner-deals.', ''))
          jar.set(name!, value!)
        }
        return answer
      }
      const { csrfToken } = (await (await ask('/api/auth/csrf')).json()) as { csrfToken: string }
      const authorizationUrl = new URL(
        (await ask('/api/auth/signin/oidc', { csrfToken })).headers.get('location')!,
      )
      expect(authorizationUrl.searchParams.get('redirect_uri')).toBe(redirectUri)
      const signedIn = await ask('/api/auth/callback/credentials', { csrfToken, email, password })
      expect(signedIn.headers.get('location')).toMatch(/^https:\/\/deals\.example\.com\/?$/)
      expect([...seen].toSorted()).toEqual([
        'callback-url',
        'csrf-token',
        'device',
        'nonce',
        'pkce',
        'session',
        'state',
      ])
      expect((await ask('/api/trpc/accounts.me')).status).toBe(200)
    } finally {
      await secure.dispose()
      await itsProvider.close()
    }
  })
})
