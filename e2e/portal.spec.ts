import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { createUser } from '#server/accounts/create-user.ts'
import { expect, test } from './fixtures.ts'
import type { RunningSystem } from './system.ts'

const wrong = 'The e-mail address or the password is wrong.'
const dealRows = (page: Page) => page.getByRole('table', { name: 'Deals' }).locator('tbody').getByRole('row')

async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in and waits for the deals. */
async function enter(page: Page, access: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in')
  await signIn(page, access)
  await expect(page).toHaveURL('/deals')
}

/** An admin of a new partner with these deals. */
async function makeAdmin(system: RunningSystem, dealnames: string[] = []) {
  const firstId = BigInt(Date.now()) * 1000n
  const partner = await system.makePartner({ deals: dealnames.map((dealname, index) => ({ id: firstId + BigInt(index), dealname })) })
  const access = { email: `admin@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Robin Vale', role: 'admin', partnerId: partner.id })
  return { ...partner, ...access }
}

test.describe('signing in', () => {
  test('leads to the deals', async ({ page, demo }) => {
    await enter(page, demo)
    await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
    await expect(page.getByRole('banner')).toContainText('Sunline Home Energy')
  })

  test('says the same of a wrong password and of an unknown address, and keeps the address', async ({ page, demo }) => {
    await page.goto('/sign-in')
    for (const email of [demo.email, 'nobody@sunline-home-energy.example']) {
      await signIn(page, { email, password: 'not the password' })
      await expect(page.getByRole('alert').filter({ hasText: wrong })).toBeVisible()
      await expect(page.getByLabel('E-mail address')).toHaveValue(email)
      await expect(page.getByLabel('Password')).toHaveValue('')
    }
    expect(await page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: 'partner-deals.session' }))
  })

  test('goes on to the page that was asked for', async ({ page, demo }) => {
    await page.goto('/deals?page=3')
    await expect(page).toHaveURL('/sign-in?callbackUrl=%2Fdeals%3Fpage%3D3')
    await signIn(page, demo)
    await expect(page).toHaveURL('/deals?page=3')
    await expect(page.getByText('51–75 of 1,100')).toBeVisible()
  })

  for (const callbackUrl of ['https://evil.example/deals', '//evil.example', '/\\evil.example', '/.//evil.example', 'javascript:alert(1)']) {
    test(`does not go on to ${callbackUrl}`, async ({ page, demo }) => {
      await page.goto(`/sign-in?${new URLSearchParams({ callbackUrl })}`)
      await signIn(page, demo)
      await expect(page).toHaveURL('/deals')
    })
  }

  test('by the address of next-auth leads nowhere else either', async ({ page, request, demo }) => {
    const { csrfToken } = await (await request.get('/api/auth/csrf')).json() as { csrfToken: string }
    const { email, password } = demo
    const answer = await request.post('/api/auth/callback/credentials', {
      form: { csrfToken, email, password, callbackUrl: 'https://evil.example/' }, maxRedirects: 0,
    })
    expect(answer.headers().location).toMatch(/^http:\/\/localhost:\d+\/?$/)
    const session = await request.get('/api/auth/session')
    expect(await session.json()).toEqual({ user: { name: 'Dana Whitfield', email }, expires: expect.any(String) })
    await page.goto('/api/auth/signin')
    await expect(page).toHaveURL(/\/sign-in/)
  })

  test('works by keyboard alone', async ({ page, demo }) => {
    await page.goto('/sign-in')
    await expect(page.getByLabel('E-mail address')).toBeFocused()
    await page.keyboard.type(demo.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await expect(page.getByText(wrong)).toBeVisible()
    await expect(page.getByLabel('Password')).toBeFocused()
    await page.keyboard.type(demo.password)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/deals')
  })

  test('works without scripts', async ({ browser, system, demo }) => {
    const page = await browser.newPage({ javaScriptEnabled: false, baseURL: system.url })
    await page.goto('/deals?page=2')
    await signIn(page, { ...demo, password: 'not the password' })
    await expect(page.getByText(wrong)).toBeVisible()
    await signIn(page, demo)
    await expect(page).toHaveURL('/deals?page=2')
    await expect(dealRows(page)).toHaveCount(25)
    await page.close()
  })

  test('is refused for a while after too many tries, and nobody is signed out by that', async ({ page, browser, system }) => {
    const admin = await makeAdmin(system, ['Vale, Robin'])
    await enter(page, admin)
    const other = await browser.newPage({ baseURL: system.url })
    await other.goto('/sign-in')
    const { csrfToken } = await (await other.request.get('/api/auth/csrf')).json() as { csrfToken: string }
    for (let tries = 0; tries < 20; tries++) {
      await other.request.post('/api/auth/callback/credentials', { form: { csrfToken, email: admin.email, password: 'wrong' }, maxRedirects: 0 })
    }
    await signIn(other, admin)
    await expect(other.getByText('try again in a few minutes')).toBeVisible()
    await other.close()
    await page.reload()
    await expect(page.getByText('Vale, Robin')).toBeVisible()
  })

  test('keeps the cookie from scripts and from other sites', async ({ page, demo }) => {
    await enter(page, demo)
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'partner-deals.session')
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect(await page.content()).not.toContain(cookie!.value)
  })
})

test('signing out ends the session', async ({ page, demo }) => {
  await enter(page, demo)
  const cookies = await page.context().cookies()
  await page.getByRole('button', { name: 'Dana Whitfield' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/sign-in')
  await page.goBack()
  await expect(page).toHaveURL(/\/sign-in/)
  // Whoever has kept the cookie is out as well.
  await page.context().addCookies(cookies)
  await page.goto('/deals')
  await expect(page).toHaveURL(/\/sign-in/)
})

test.describe('the deals', () => {
  test('come 25 a page', async ({ page, demo }) => {
    await enter(page, demo)
    await expect(page.getByText('1,100 deals')).toBeVisible()
    await expect(dealRows(page)).toHaveCount(25)
    const first = await dealRows(page).allInnerTexts()
    await page.getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveURL('/deals?page=2')
    await expect(page.getByText('26–50 of 1,100')).toBeVisible()
    await expect(dealRows(page)).toHaveCount(25)
    expect((await dealRows(page).allInnerTexts()).filter((row) => first.includes(row))).toEqual([])
    await page.goBack()
    await expect(page.getByText('1–25 of 1,100')).toBeVisible()
    expect(await dealRows(page).allInnerTexts()).toEqual(first)
    await page.getByRole('link', { name: 'Page 44' }).click()
    await expect(page.getByText('1,076–1,100 of 1,100')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Next' })).toHaveCount(0)
  })

  test('of a partner are seen by nobody else', async ({ page, system }) => {
    const admin = await makeAdmin(system, ['Ours, Olga'])
    await makeAdmin(system, ['Theirs, Theo'])
    await enter(page, admin)
    await expect(dealRows(page)).toHaveCount(1)
    await expect(page.getByText('Ours, Olga')).toBeVisible()
    await expect(page.getByText('Theirs, Theo')).toHaveCount(0)
    const input = encodeURIComponent(JSON.stringify({ json: { size: 25, partner: 'sunline-home-energy' } }))
    const answer = await (await page.request.get(`/api/trpc/deals.list?input=${input}`)).text()
    expect(answer).toContain('Ours, Olga')
    expect(answer).toContain('\\"count\\":1,')
  })

  test('are text, whatever they contain', async ({ page, system }) => {
    const { slug, ...access } = await makeAdmin(system)
    const names = ['<img src=x onerror="window.hit=1">', '</script><script>window.hit=1</script>', '"><svg onload=window.hit=1>', '{{7*7}}${7*7}']
    const records = names.map((dealname, index) => ({ id: 7_000_000_001 + index, dealname, streetAddress: dealname, stage: dealname, systemSize: dealname }))
    const { code } = await system.operator(['import', '-', '--partner', slug], records.map((record) => JSON.stringify(record)).join('\n'))
    expect(code).toBe(0)
    await enter(page, access)
    await expect(dealRows(page)).toHaveCount(names.length)
    for (const name of names) await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
  })

  test('of all partners are seen by the installer\'s own staff', async ({ page, system }) => {
    const operator = { email: `${crypto.randomUUID()}@installer.example`, password: 'a long enough password' }
    await createUser(system.db, { ...operator, name: 'Sam Ortiz', role: 'operator', partnerId: null })
    await enter(page, operator)
    await expect(page.getByRole('banner')).toContainText('All partners')
    await expect(page.getByText(/^(?:[2-9]|\d{2,}),\d{3} deals$/)).toBeVisible()
  })

  test('are announced when there are none yet', async ({ page, system }) => {
    await enter(page, await makeAdmin(system))
    await expect(page.getByText('No deals yet')).toBeVisible()
  })

  test('have an end', async ({ page, demo }) => {
    await enter(page, demo)
    await page.goto('/deals?page=45')
    await page.getByRole('link', { name: 'Go to the last page' }).click()
    await expect(page).toHaveURL('/deals?page=44')
    await expect(dealRows(page)).toHaveCount(25)
  })

  test('can be asked for again when they cannot be read', async ({ page, system }) => {
    const admin = await makeAdmin(system, ['Ours, Olga'])
    await system.db.$client`alter table deal_places rename to deal_places_gone`
    try {
      await enter(page, admin)
      await expect(page.getByRole('status', { name: 'Loading deals' }).or(page.getByText('Loading deals'))).toBeAttached()
      await expect(page.getByText('Your deals cannot be loaded right now')).toBeVisible()
    } finally {
      await system.db.$client`alter table deal_places_gone rename to deal_places`
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText('Ours, Olga')).toBeVisible()
  })

  test('fit on a small screen', async ({ page, demo }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await enter(page, demo)
    await expect(dealRows(page)).toHaveCount(25)
    for (const path of ['/deals', '/deals?page=30', '/nowhere']) {
      await page.goto(path)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    }
  })
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing stands in anybody's way, ${colorScheme}`, async ({ page, demo }) => {
    const violations = async () => (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto('/sign-in')
    expect(await violations()).toEqual([])
    await signIn(page, { ...demo, password: 'not the password' })
    await expect(page.getByText(wrong)).toBeVisible()
    expect(await violations()).toEqual([])
    await signIn(page, demo)
    await expect(page).toHaveURL('/deals')
    // A page with many kinds of stages.
    await page.goto('/deals?page=30')
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(dealRows(page)).toHaveCount(25)
      expect(await violations()).toEqual([])
    }
    await page.getByRole('button', { name: 'Dana Whitfield' }).click()
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
    expect(await violations()).toEqual([])
  })
}

test('an address without a page says so and leads back', async ({ page, demo }) => {
  await enter(page, demo)
  const answer = await page.goto('/nowhere')
  expect(answer!.status()).toBe(404)
  await page.getByRole('link', { name: 'Go to your deals' }).click()
  await expect(page).toHaveURL('/deals')
})

test.describe('the procedures, asked by a browser,', () => {
  const body = JSON.stringify({ json: { createURL: 'https://example.com/hook' } })

  test('change nothing for other sites, nor for forms', async ({ page, system }) => {
    const admin = await makeAdmin(system)
    await enter(page, admin)
    const set = (headers: Record<string, string>, data: string | Buffer = body) => page.request.post('/api/trpc/webhooks.set', { headers, data })
    const json = { 'Content-Type': 'application/json' }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect((await set({ ...json, Origin: origin })).status()).toBe(403)
    }
    expect((await set({ Origin: system.url, 'Content-Type': 'text/plain' })).status()).toBe(415)
    const form = await page.request.post('/api/trpc/webhooks.set', { headers: { Origin: system.url }, multipart: { createURL: 'https://example.com/hook' } })
    expect(form.status()).toBe(415)
    const crossForm = await page.request.post('/api/trpc/webhooks.set', { headers: { Origin: 'https://evil.example' }, multipart: { createURL: 'https://example.com/hook' } })
    expect(crossForm.status()).toBe(403)
    expect((await page.request.get(`/api/trpc/webhooks.set?input=${encodeURIComponent(body)}`)).ok()).toBe(false)

    const read = async () => (await (await page.request.get('/api/trpc/webhooks.get')).json() as { result: { data: { json: object } } }).result.data.json
    expect(await read()).toEqual({ createURL: null, updateURL: null })
    expect((await set({ ...json, Origin: system.url })).status()).toBe(200)
    expect(await read()).toEqual({ createURL: 'https://example.com/hook', updateURL: null })
  })

  test('come ten at a time at most', async ({ page, demo }) => {
    await enter(page, demo)
    const batch = (count: number) => {
      const input = JSON.stringify({ ...Array.from({ length: count }, () => ({ json: { size: 1 } })) })
      return page.request.get(`/api/trpc/${Array.from({ length: count }, () => 'deals.list').join(',')}?${new URLSearchParams({ batch: '1', input })}`)
    }
    expect((await batch(10)).status()).toBe(200)
    expect((await batch(11)).status()).toBe(400)
  })

  test('answer nobody who has not signed in, and members what is theirs', async ({ page, request, system }) => {
    expect((await request.get('/api/trpc/deals.list')).status()).toBe(401)
    const { id, slug } = await system.makePartner()
    const member = { email: `member@${slug}.example`, password: 'a long enough password' }
    await createUser(system.db, { ...member, name: 'Kim Reed', role: 'member', partnerId: id })
    await enter(page, member)
    const answer = await page.request.post('/api/trpc/webhooks.set', { headers: { 'Content-Type': 'application/json', Origin: system.url }, data: body })
    expect(answer.status()).toBe(403)
    expect(await answer.json()).toMatchObject({ error: { json: { data: { code: 'FORBIDDEN', httpStatus: 403 } } } })
  })
})
