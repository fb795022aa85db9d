import { hash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { entries, guides, reference, sections, start } from '#app/docs/guides.ts'
import { themeCookie } from '#app/theme.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, ready, violations } from './portal-user.ts'

const read = [start, ...guides]

/** Starts recording the page's errors, policy violations and external requests. Returns the growing list. */
function watchAll(page: Page): string[] {
  const seen: string[] = []
  page.on('pageerror', ({ message }) => void seen.push(message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^(?:https?|wss?):$/.test(protocol) && origin !== new URL(page.url()).origin) seen.push(request.url())
  })
  return seen
}

/** Opens the API reference and waits until its forms work. */
async function openReference(page: Page): Promise<void> {
  await page.goto(reference.href)
  await expect(page.getByRole('heading', { level: 1, name: reference.title })).toBeVisible()
  await ready(page)
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('the documentation is public and accessible in wide and narrow windows, light and dark', async ({
  page,
}) => {
  // Without animations: the audit would measure colors in the middle of a transition.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(start.href)
  const seen = watchAll(page)
  const wide = { width: 1280, height: 800 }
  const narrow = { width: 360, height: 740 }
  for (const { href, title } of read) {
    await page.setViewportSize(wide)
    expect((await page.goto(href))!.status()).toBe(200)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(
      page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: title }),
    ).toHaveAttribute('aria-current', 'page')
    // All guides use the same elements, and these three guides contain all of them.
    if (/first-call|webhooks|errors/.test(href)) expect(await violations(page), href).toEqual([])
    await page.setViewportSize(narrow)
    expect(await overflow(page), href).toBe(0)
  }
  const chooseTheme = (value: 'light' | 'dark') =>
    page.context().addCookies([{ name: themeCookie, value, url: page.url() }])
  await chooseTheme('light')
  await openReference(page)
  expect(await overflow(page)).toBe(0)
  await page.setViewportSize(wide)
  await expect(page.getByRole('navigation', { name: 'Documentation' })).toBeVisible()
  expect(await violations(page, ['light']), 'reference').toEqual([])
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(247, 247, 244)')
  await chooseTheme('dark')
  await openReference(page)
  expect(await violations(page, ['dark']), 'reference, dark').toEqual([])
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(17, 19, 17)')
  expect(seen).toEqual([])
})

test('the reference calls an operation with a token, without contacting other hosts or storing the token', async ({
  page,
  demo,
}) => {
  await page.goto(start.href)
  const seen = watchAll(page)
  await openReference(page)
  await page.getByLabel('Token', { exact: true }).fill(demo.token)
  const operation = page.getByRole('region', { name: 'List deals' })
  await operation.getByText('Try it').click()
  await operation.getByLabel('size').fill('1')
  await operation.getByRole('button', { name: 'Send request' }).click()
  await expect(operation.getByText('200 OK')).toBeVisible()
  await expect(operation.getByText('"deals": [')).toBeVisible()
  const storage = await page.evaluate(async () => {
    return JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      await indexedDB.databases(),
    ])
  })
  expect(storage).not.toContain(demo.token)
  expect(seen).toEqual([])
  await page.reload()
  await openReference(page)
  await expect(page.getByLabel('Token', { exact: true })).toHaveValue('')
})

test('the language chosen for one program applies to all, across pages and reloads', async ({ page }) => {
  await page.goto('/docs/sync')
  await ready(page)
  const follow = page.locator('figure').filter({ hasText: 'follow.mjs' })
  await expect(follow.getByText("import { PartnerDeals } from './partner-deals.mjs'")).toBeVisible()
  await follow.getByRole('radio', { name: 'Node.js' }).press('ArrowRight')
  await expect(page.getByText('json.dump(copy, file)')).toBeVisible()
  await expect(page.getByText('urllib.request.Request(').first()).toBeVisible()
  await expect(page.getByText('curl -H').first()).toBeHidden()
  await page.getByRole('link', { name: /^Next/ }).click()
  await expect(page.getByText('class Receiver(BaseHTTPRequestHandler):')).toBeVisible()
  await page.reload()
  await expect(page.getByText('class Receiver(BaseHTTPRequestHandler):')).toBeVisible()
})

test('clients are downloaded as text, with the checksum stated on their page', async ({ page, request }) => {
  await page.goto('/docs/clients')
  const rows = page.getByRole('table').first().locator('tbody tr')
  await expect(rows).toHaveCount(3)
  for (const row of await rows.all()) {
    const response = await request.get((await row.getByRole('link').getAttribute('href'))!)
    expect(response.headers()['content-type']).toMatch(/^text\//)
    await expect(row).toContainText(hash('sha256', await response.body()))
  }
  for (const name of ['zapier-partner-deals.tgz', 'n8n-nodes-partner-deals.tgz', 'node-red.json'])
    expect((await request.get(`/clients/${name}`)).status(), name).toBe(200)
})

test('in a narrow window, the navigation stays open if opened before the scripts ran', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\.js$/, async (route) => {
    await released
    await route.continue()
  })
  await page.goto(start.href, { waitUntil: 'commit' })
  await page.locator('summary').click()
  const navigation = page.getByRole('navigation', { name: 'Guides' })
  await expect(navigation).toBeVisible()
  release()
  await ready(page)
  await expect(navigation).toBeVisible()
})

test('the navigation works by keyboard, and commands can be copied', async ({ page, context, system }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(start.href)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('radio', { name: 'curl' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Copy' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^curl -H "Authorization: Bearer \$TOKEN" \\\n {2}"http:\/\/localhost:\d+\/api\/deals\?size=1"$/,
  )

  await page.getByRole('link', { name: /^Next/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(entries[1]!.href)

  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(start.href)
  const navigation = page.getByRole('navigation', { name: 'Guides' })
  await expect(navigation).toBeHidden()
  await page.locator('summary').focus()
  await page.keyboard.press('Enter')
  await expect(navigation).toBeVisible()
  await navigation.getByRole('link', { name: 'Errors' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/docs/errors')
  await expect(navigation).toBeHidden()
  await expect(page.locator('summary')).toHaveText('Errors')
  await expect(page.locator('summary')).toBeFocused()

  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/sign-in')
  for (const path of ['/docs/x', '/docs/reference/x', '/docs/errors/x'])
    expect((await page.request.get(path)).status(), path).toBe(404)
  await enter(page, await makeUser(system), '/docs')
  await page.getByRole('link', { name: 'Back to the portal' }).click()
  await expect(page).toHaveURL('/')
})

test('every page is available as Markdown, by .md or Accept, with this installation’s values', async ({
  page,
  system,
}) => {
  const pages = sections.flatMap((section) => section.entries)
  const texts = new Set<string>()
  const targets = new Set<string>()
  for (const { href } of pages) {
    const answer = await page.request.get(`${href}.md`)
    expect(answer.status(), href).toBe(200)
    expect(answer.headers()['content-type']).toBe('text/markdown; charset=utf-8')
    const text = await answer.text()
    expect(text.split('\n')[0], href).toContain('/llms.txt')
    expect(text.match(/^# .+$/gm), href).not.toBeNull()
    expect(text, href).not.toMatch(/\[object [A-Z]/)
    // Guides must contain this installation's URL instead of the example. Only the operator guides keep the
    // example.
    if (!href.startsWith('/docs/operate/')) expect(text, href).not.toContain('https://deals.example.com')
    // Links are absolute, and lead to the Markdown version if there is one.
    for (const target of linksIn(text.replaceAll(/^```.*?^```$/gms, ''))) {
      expect(target, href).toMatch(/^https?:\/\//)
      targets.add(target)
    }
    texts.add(text)
    const accepted = await page.request.get(href, { headers: { accept: 'text/markdown, text/html;q=0.9' } })
    expect(await accepted.text()).toBe(text)
    expect(accepted.headers()['vary']).toContain('Accept')
  }
  expect(texts.size).toBe(pages.length)
  const html = await page.request.get('/docs/limits')
  expect(html.headers()).toMatchObject({
    'content-type': expect.stringContaining('text/html'),
    vary: expect.stringMatching(/(?:^|, ?)Accept(?:,|$)/),
  })
  expect(await (await page.request.get('/docs/limits.md')).text()).toContain(
    '| Retention of events | 90 days |',
  )
  expect((await page.request.get('/docs/nowhere.md')).status()).toBe(404)
  for (const target of linksIn(await (await page.request.get('/llms.txt')).text())) targets.add(target)
  const paths = new Set(
    [...targets]
      .map((target) => new URL(target))
      .filter(isHere)
      .map(({ pathname }) => pathname),
  )
  expect(paths.size).toBeGreaterThan(pages.length)
  for (const path of paths) expect((await page.request.get(system.url + path)).status(), path).toBe(200)
})

/** Returns the targets of all links in Markdown text. */
const linksIn = (markdown: string) => [...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target!)

const isHere = ({ hostname }: URL) => hostname === 'localhost'

test('the changelog links to its Atom feed', async ({ page }) => {
  await page.goto('/docs/operate/changelog')
  const link = page.locator('link[rel=alternate][type="application/atom+xml"]')
  const feed = await page.request.get((await link.getAttribute('href'))!)
  expect(feed.headers()['content-type']).toBe('application/atom+xml; charset=utf-8')
  const text = await feed.text()
  expect(text).toContain('<title>Partner Deals 1.1</title>')
  expect(text).toContain('**For partners')
})
