import type { APIResponse, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'

const nonceOf = (answer: APIResponse) =>
  /'nonce-([^']+)'/.exec(answer.headers()['content-security-policy'] ?? '')?.[1]

/** Starts recording the page's policy violations and errors. Returns the growing list. */
async function watchPolicy(page: Page): Promise<string[]> {
  const seen: string[] = []
  await page.exposeFunction('tellViolation', (text: string) => void seen.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      void (window as unknown as { tellViolation(text: string): void }).tellViolation(
        `${violatedDirective} ${blockedURI} ${sample}`,
      )
    })
  })
  page.on('pageerror', ({ message }) => void seen.push(message))
  // Ignore the error for the page itself, because this test expects a 404.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 404')) seen.push(message.text())
  })
  return seen
}

const publicPages = [
  '/sign-in',
  '/sign-in/forgot',
  '/nowhere',
  '/_not-found',
  '/_error',
  '/500',
  `/link/${'a'.repeat(43)}`,
]
const portalPages = [
  '/',
  '/deals',
  '/deals/board',
  '/deals/map',
  '/deals/9999999999',
  '/money',
  '/week',
  '/notifications',
  '/account',
  '/nowhere',
]

test.describe('the content security policy of a page', () => {
  test('has a new nonce each time, used on every script', async ({ request, page, system }) => {
    const user = await makeUser(system)
    await enter(page, user)
    const visits = [
      ...publicPages.map((path) => ({ path, by: request })),
      ...portalPages.map((path) => ({ path, by: page.request })),
    ]
    const nonces: string[] = []
    for (const { path, by } of [...visits, ...visits]) {
      const answer = await by.get(path)
      const nonce = nonceOf(answer)!
      const scripts = (await answer.text()).match(/<script\b[^>]*>/g) ?? []
      expect(nonce, path).toMatch(/^[A-Za-z0-9+/]{22}==$/)
      expect(scripts.length, path).toBeGreaterThan(2)
      expect(
        scripts.filter((script) => !script.includes(`nonce="${nonce}"`)),
        path,
      ).toEqual([])
      expect(answer.headers()['cache-control'], path).toContain('no-store')
      nonces.push(nonce)
    }
    expect(new Set(nonces).size).toBe(nonces.length)
  })

  test('allows no other origin and no framing', async ({ request }) => {
    const { 'content-security-policy': policy, ...headers } = (await request.get('/sign-in')).headers()
    expect(policy!.replace(/'nonce-[^']+'/, "'nonce-…'").split('; ')).toEqual([
      "default-src 'self'",
      "script-src 'nonce-…' 'strict-dynamic'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
    ])
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
  })

  test('cannot be influenced by the client', async ({ request }) => {
    const forged = "script-src 'nonce-forged0000000000000000'"
    for (const name of ['Content-Security-Policy', 'Content-Security-Policy-Report-Only']) {
      const answer = await request.get('/sign-in', { headers: { [name]: forged } })
      expect(answer.headers()['content-security-policy']).not.toContain('forged')
      expect(await answer.text()).not.toContain('forged')
    }
  })

  test('blocks an injected script', async ({ page }) => {
    const seen = await watchPolicy(page)
    await page.goto('/sign-in')
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.hit = 1">')
      // Parsed like markup of the page: a trusted script may run code in elements that it creates itself.
      const inline = document
        .createRange()
        .createContextualFragment('<a id="bad" href="javascript:void(window.hit = 1)">x</a>')
      document.body.append(inline)
      document.querySelector<HTMLElement>('#bad')!.click()
    })
    await expect.poll(() => seen.filter((text) => text.startsWith('script-src')).length).toBe(2)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
  })
})

test('no page violates its own policy', async ({ page, system }) => {
  const seen = await watchPolicy(page)
  for (const path of publicPages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  await enter(page, await makeUser(system))
  for (const path of portalPages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('somebody')
  await expect(page.getByText('No results for “somebody”.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto('/account')
  await page.getByText('Dark', { exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(seen).toEqual([])
})
