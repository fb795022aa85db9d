import { type APIRequestContext, expect, request, test } from '@playwright/test'
import { sql } from 'drizzle-orm'
import superjson, { type SuperJSONResult } from 'superjson'
import { freePort } from '#db/free-port.ts'
import { endAccess } from '#server/accounts/access-store.ts'
import { createUser } from './create-user.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type OpenIdProvider, leaveProvider, startOpenIdProvider } from './openid-provider.ts'
import { type RunningSystem, startSystem } from './system.ts'

// Signing in over HTTP like a browser: passwords, links, mail and an OpenID Connect provider.

const password = 'a long enough password'
const another = 'another long password'
let mailServer: MailServer
let provider: OpenIdProvider
let system: RunningSystem
/** The host name in the URL: cookies are per host name. */
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
  await provider.stop()
  await mailServer.close()
})
test.beforeEach(() => {
  provider.forge = null
})

/** Returns a browser that keeps its cookies and extracts what forms need. */
async function openBrowser(): Promise<APIRequestContext> {
  return request.newContext({
    baseURL: home,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  })
}

/** Returns where next-auth sends a browser that posts a form to it. */
async function post(browser: APIRequestContext, path: string, form: Record<string, string>): Promise<string> {
  const { csrfToken } = (await (await browser.get('/api/auth/csrf')).json()) as { csrfToken: string }
  const answer = await browser.post(`/api/auth/${path}`, { form: { csrfToken, ...form }, maxRedirects: 0 })
  // The form redirects back to its page; a client over the limit gets Retry-After.
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

/** Signs in at the provider and returns. Returns the final URL. */
async function signInAtProvider(
  browser: APIRequestContext,
  callbackUrl = '/deals',
  change: (back: URL) => void = () => {},
): Promise<string> {
  const back = new URL(await returnFromProvider(browser, callbackUrl))
  change(back)
  return locationOf(browser, back.href)
}

/** Signs in at the provider, which sends the browser back to this URL. */
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
  const given = JSON.stringify(superjson.serialize(input))
  const answer = /\.(?:me|means|link|sessions|partners)$/.test(name)
    ? await browser.get(
        `/api/trpc/${name}?${new URLSearchParams({ input: given, ...(partner === undefined ? {} : { partner }) })}`,
      )
    : await browser.post(`/api/trpc/${name}`, {
        headers: { origin: home, 'content-type': 'application/json' },
        data: Buffer.from(given),
      })
  const json = await answer.json()
  return answer.ok() ? superjson.deserialize(json.result.data as SuperJSONResult) : json.error.json.data.code
}

const makeEmail = () => `${crypto.randomUUID()}@sunline.example`
async function makeUser(role: 'member' | 'admin' = 'member') {
  const partner = await system.makePartner()
  return createUser(system.db, {
    email: makeEmail(),
    password,
    name: 'Robin Vale',
    role,
    partnerId: partner.id,
  })
}

/** Returns the token in the newest mail to an address, once this many have arrived. */
async function mailedToken(email: string, count = 1): Promise<string> {
  const own = () => mailServer.to(email)
  await expect.poll(() => own().length).toBe(count)
  return new RegExp(`^${home}/link/([\\w-]{43})$`, 'm').exec(own().at(-1)!.text)![1]!
}

test.describe('a password', () => {
  test('signs in; attempts from elsewhere do not lock out a known browser', async () => {
    const { email } = await makeUser()
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
    // One account's cookie does not work for another, nor does an altered one.
    const cookie = (await known.storageState()).cookies.find(({ name }) =>
      name.startsWith('partner-deals.device-'),
    )!
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    const changed = await request.newContext({
      baseURL: home,
      storageState: { cookies: [{ ...cookie, value: `${cookie.value.slice(0, -2)}AA` }], origins: [] },
    })
    expect(await signIn(changed, email)).toBe(refusedFor('throttled'))
  })

  test('cannot complete a sign-in after it is replaced', async () => {
    const { id, email } = await makeUser()
    const browser = await openBrowser()
    const signingIn = await system.db.transaction(async (tx) => {
      await tx.execute(sql`select from users where id = ${id} for update`)
      const begun = signIn(browser, email)
      // The password has been checked, and the session waits for the user's lock.
      await expect
        .poll(async () => {
          const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock'
            and datname = current_database()`
          return (await system.db.execute(waiting)).length
        })
        .toBe(1)
      await endAccess(tx, { userId: id })
      return [begun]
    })
    expect(await signingIn[0]).toBe(refusedFor('wrong'))
    expect(await call(browser, 'accounts.me')).toBe('UNAUTHORIZED')
    expect(await signIn(browser, email)).toEqual(letIn())
  })

  test('signs in to one session and ends the previous one of this browser', async () => {
    const { email } = await makeUser()
    const browser = await openBrowser()
    for (let round = 0; round < 3; round++) await signIn(browser, email)
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

  test('change ends all other sessions within a second', async () => {
    const { email } = await makeUser()
    const [here, there] = [await openBrowser(), await openBrowser()]
    for (const browser of [here, there]) await signIn(browser, email)
    expect(await call(here, 'accounts.changePassword', { current: 'wrong', next: another })).toBe(
      'BAD_REQUEST',
    )
    await call(here, 'accounts.changePassword', { current: password, next: another })
    expect(await call(there, 'accounts.me')).toBe('UNAUTHORIZED')
    expect(await call(here, 'accounts.me')).toMatchObject({ email })
    await call(here, 'accounts.signOutEverywhere')
    expect(await call(here, 'accounts.me')).toBe('UNAUTHORIZED')
  })

  test('sign-in records the visit', async () => {
    const { id, email } = await makeUser()
    const browser = await openBrowser()
    await signIn(browser, email)
    await call(browser, 'accounts.me')
    await expect
      .poll(
        async () =>
          (await system.db.$client`select seen_at is not null as seen from users where id = ${id}`)[0]![
            'seen'
          ],
      )
      .toBe(true)
  })
})

test.describe('a link', () => {
  test('to reset the password is mailed, sets it and signs in once, throttled or not', async () => {
    const { email } = await makeUser()
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
    // This browser is known from now on.
    expect(await signIn(browser, email, another)).toEqual(letIn())
  })

  test('to sign in is mailed and signs in once, however many try', async () => {
    const { email } = await makeUser()
    const browsers = await Promise.all(Array.from({ length: 4 }, openBrowser))
    await call(browsers[0]!, 'accounts.requestSignIn', { email })
    const token = await mailedToken(email)
    const outcomes = await Promise.all(browsers.map((browser) => openLink(browser, token)))
    expect(outcomes.filter((address) => address === refusedFor('expired'))).toHaveLength(3)
    const sessions = await Promise.all(browsers.map((browser) => call(browser, 'accounts.me')))
    expect(sessions.filter((session) => session !== 'UNAUTHORIZED')).toEqual([
      expect.objectContaining({ email }),
    ])
  })

  test('is not mailed to unknown addresses, which get the same response', async () => {
    const { email } = await makeUser()
    const browser = await openBrowser()
    const stranger = makeEmail()
    for (const address of [stranger, email])
      expect(await call(browser, 'accounts.requestReset', { email: address })).toEqual({})
    await mailedToken(email)
    expect(mailServer.to(stranger)).toEqual([])
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

test.describe('a provider', () => {
  test('is offered on the sign-in page', async () => {
    expect(await call(await openBrowser(), 'accounts.means')).toEqual({
      mail: true,
      oidc: { name: 'localhost' },
      contact: null,
    })
  })

  test('signs in invited users, with state, nonce and PKCE, and returns to the requested page', async () => {
    const { email } = await makeUser()
    provider.user = { sub: crypto.randomUUID(), email: email.toUpperCase(), email_verified: true }
    const browser = await openBrowser()
    const there = new URL(await post(browser, 'signin/oidc', { callbackUrl: '/deals?page=2' }))
    expect(there.origin).toBe(provider.issuer)
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(there.searchParams.get(name)!.length).toBeGreaterThan(20)
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
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
    // From now on only the subject counts; a new owner of the address is a stranger.
    provider.user = { sub: provider.user.sub }
    expect(await signInAtProvider(await openBrowser())).toBe(`${home}/deals`)
    provider.user = { sub: crypto.randomUUID(), email, email_verified: true }
    const stranger = await openBrowser()
    expect(await signInAtProvider(stranger)).toBe(`${home}/sign-in?error=AccessDenied&code=uninvited`)
    expect(await call(stranger, 'accounts.me')).toBe('UNAUTHORIZED')
  })

  test('tells unknown users why they cannot sign in', async () => {
    const { email } = await makeUser()
    for (const [given, code] of [
      [{ email: makeEmail(), email_verified: true }, 'uninvited'],
      [{ email, email_verified: false }, 'unverified'],
      [{ email }, 'unverified'],
      [{ email: { a: email }, email_verified: true }, 'unverified'],
      [{}, 'unverified'],
    ] as const) {
      provider.user = { sub: crypto.randomUUID(), ...given }
      const browser = await openBrowser()
      expect(await signInAtProvider(browser)).toBe(`${home}/sign-in?error=AccessDenied&code=${code}`)
      expect(await call(browser, 'accounts.me')).toBe('UNAUTHORIZED')
    }
  })

  test('signs in by an address that only the ID token has, and by "true" as a text', async () => {
    for (const [userInfo, idToken] of [
      [{}, { email_verified: true }],
      [{ email_verified: 'true' }, {}],
    ]) {
      const { email } = await makeUser()
      provider.user = {
        sub: crypto.randomUUID(),
        ...(userInfo!.email_verified === undefined ? {} : { email, ...userInfo }),
      }
      provider.forge = (claims) => provider.sign({ ...claims, email, ...idToken })
      const browser = await openBrowser()
      expect(await signInAtProvider(browser)).toBe(`${home}/deals`)
      expect(await call(browser, 'accounts.me')).toMatchObject({ email })
    }
  })

  test('response is accepted unaltered, and only by the browser that asked', async () => {
    const { email } = await makeUser()
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
    for (const [change, cause] of [
      [{ nonce: 'another' }, 'nonce'],
      [{ aud: 'another' }, 'aud'],
      [{ iss: 'https://another.example' }, 'iss'],
      [{ exp: 1 }, 'exp'],
      [{ sub: 'another' }, 'sub'],
    ] as const) {
      provider.forge = (idToken) => provider.sign({ ...idToken, ...change })
      const before = system.output().length
      expect(await signInAtProvider(browser), cause).toMatch(refused)
      await expect.poll(() => system.output().slice(before)).toContain(cause)
    }
    provider.forge = (idToken) => provider.sign(idToken, 'stranger')
    expect(await signInAtProvider(browser)).toMatch(refused)
    await expect.poll(() => system.output()).toContain('SIGNATURE')
    provider.forge = null
    // A response for one browser does not work in another.
    const back = await returnFromProvider(browser)
    const other = await openBrowser()
    expect(await locationOf(other, back)).toMatch(refused)
    for (const each of [browser, other]) expect(await call(each, 'accounts.me')).toBe('UNAUTHORIZED')
    expect(system.output()).not.toContain(email)
  })

  test('redirects to no other site', async () => {
    const { email } = await makeUser()
    provider.user = { sub: crypto.randomUUID(), email, email_verified: true }
    for (const callbackUrl of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      `${home}.evil.example/`,
      `http://user@localhost:1/`,
    ]) {
      expect(new URL(await signInAtProvider(await openBrowser(), callbackUrl)).origin).toBe(home)
    }
  })

  test('signs in as its user, replacing the current session', async () => {
    const [first, second] = [await makeUser(), await makeUser()]
    const browser = await openBrowser()
    await signIn(browser, first.email)
    provider.user = { sub: crypto.randomUUID(), email: second.email, email_verified: true }
    expect(await signInAtProvider(browser)).toBe(`${home}/deals`)
    expect(await call(browser, 'accounts.me')).toMatchObject({ email: second.email })
    expect(await system.db.$client`select 1 from sessions where user_id = ${first.id}`).toHaveLength(0)
  })
})

test('an unreachable provider signs nobody in, and the log gives the reason', async () => {
  const browser = await openBrowser()
  const back = await returnFromProvider(browser)
  await provider.stop()
  expect(await locationOf(browser, back)).toMatch(new RegExp(`^${home}/sign-in\\?error=`))
  await expect
    .poll(() => system.output())
    .toContain(`the provider cannot be reached at ${provider.issuer}: ECONNREFUSED`)
})

test('accepts an address that the provider does not confirm with OIDC_TRUST_EMAIL', async () => {
  const port = await freePort()
  home = `http://localhost:${port}`
  provider = await startOpenIdProvider('a', 'b', [`${home}/api/auth/callback/oidc`])
  const trusting = await startSystem({
    env: {
      PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'a',
      OIDC_CLIENT_SECRET: 'b',
      OIDC_TRUST_EMAIL: 'on',
    },
  })
  try {
    const partner = await trusting.makePartner()
    const email = makeEmail()
    await createUser(trusting.db, {
      email,
      password,
      name: 'Robin Vale',
      role: 'member',
      partnerId: partner.id,
    })
    provider.user = { sub: crypto.randomUUID(), email }
    const browser = await openBrowser()
    expect(await signInAtProvider(browser)).toBe(`${home}/deals`)
    expect(await call(browser, 'accounts.me')).toMatchObject({ email })
    provider.user = { sub: crypto.randomUUID(), email: makeEmail() }
    expect(await signInAtProvider(await openBrowser())).toBe(
      `${home}/sign-in?error=AccessDenied&code=uninvited`,
    )
  } finally {
    await trusting.dispose()
    await provider.stop()
  }
})

test.describe('under https', () => {
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
      const partner = await secure.makePartner()
      const { email } = await createUser(secure.db, {
        email: makeEmail(),
        password,
        name: 'Robin Vale',
        role: 'member',
        partnerId: partner.id,
      })
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
      const there = new URL((await ask('/api/auth/signin/oidc', { csrfToken })).headers.get('location')!)
      expect(there.searchParams.get('redirect_uri')).toBe(redirectUri)
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
      await itsProvider.stop()
    }
  })
})
