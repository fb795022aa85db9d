import type { BrowserContext, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { clearCookies, enter, makeUser, ready, signIn, signedInUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// An operator views different partners in two tabs. Actions apply to the partner in the tab's URL, and
// nothing leaks between tabs.

const dialog = (page: Page) => page.getByRole('dialog')
const banner = (page: Page) => page.getByRole('complementary', { name: 'Viewing as a partner' })
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name })
const headLink = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: name === 'Board' ? 'Views of deals' : 'Main' })
    .getByRole('link', { name, exact: true })

/** Creates a partner with this name and one deal named after it. */
async function makePartner(system: RunningSystem, name: string) {
  const [dealId] = newIds(1)
  const { id, slug } = await system.makePartner({ deals: [{ id: dealId!, dealname: `Deal of ${name}` }] })
  await system.db.$client`update partners set name = ${name} where id = ${id}`
  return { id, slug, dealId: String(dealId) }
}

/** Signs an operator in on the page and creates two partners to view. */
async function start(system: RunningSystem, page: Page, path: (slugs: { a: string; b: string }) => string) {
  const [a, b] = [await makePartner(system, 'Acme Solar'), await makePartner(system, 'Bright Roofs')]
  const operator = await makeUser(system, { role: 'operator' })
  await enter(page, operator, path({ a: a.slug, b: b.slug }))
  return { a, b, operator }
}

/** Opens a page in another tab of the same browser. */
async function openTab(context: BrowserContext, path: string): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(path)
  return tab
}

test('a token and an invitation belong to the partner of the tab in which they are created', async ({
  page,
  context,
  system,
}) => {
  const { a, b, operator } = await start(system, page, (slugs) => `/team?partner=${slugs.a}`)
  await expect(banner(page)).toContainText('Viewing as Acme Solar')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const other = await openTab(context, `/team?partner=${b.slug}`)
  await expect(banner(other)).toContainText('Viewing as Bright Roofs')

  const email = `nia@${a.slug}.example`
  await dialog(page).getByLabel('E-mail address').fill(email)
  await dialog(page).getByLabel('Name').fill('Nia Okafor')
  await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(dialog(page)).toContainText(`Send this link to ${email}`)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('table', { name: 'Pending invitations' })).toContainText(email)

  await section(page, 'Tokens').click()
  await expect(page).toHaveURL(`/tokens?partner=${a.slug}`)
  await other.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Tokens' }).click()
  await expect(other).toHaveURL(`/tokens?partner=${b.slug}`)
  await page.getByRole('button', { name: 'Create token' }).click()
  await dialog(page).getByLabel('Name').fill('CRM')
  await dialog(page).getByLabel('deals:read').check()
  await other.reload()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByRole('group', { name: 'Token', exact: true })).toBeVisible()

  const sql = system.db.$client
  expect(await sql`select partner_id as id from users where email = ${email}`).toEqual([{ id: a.id }])
  expect(
    await sql`select partner_id as id from tokens where name = 'CRM' and partner_id in (${a.id}, ${b.id})`,
  ).toEqual([{ id: a.id }])
  expect(
    await sql`select action, partner_id as id from audit_entries where who = ${operator.email} and action in ('user.invited', 'token.created') order by action`,
  ).toEqual([
    { action: 'token.created', id: a.id },
    { action: 'user.invited', id: a.id },
  ])
  await other.reload()
  await expect(other.getByRole('table', { name: 'Active tokens' }).getByText('CRM')).toHaveCount(0)
})

/**
 * Goes back or forward in the history. If that reloads the document, Playwright reports the first navigation
 * as aborted.
 */
async function go(page: Page, by: 'back' | 'forth'): Promise<void> {
  await (by === 'back' ? page.goBack() : page.goForward()).catch((error: Error) => {
    if (!error.message.includes('ERR_ABORTED')) throw error
  })
}

test('each tab keeps its partner after a reload, back and forward, in a new tab, and from a bookmark', async ({
  page,
  context,
  system,
}) => {
  const { a, b } = await start(system, page, (slugs) => `/deals?partner=${slugs.a}`)
  const other = await openTab(context, `/deals?partner=${b.slug}`)
  await expect(other.getByRole('main')).toContainText('Deal of Bright Roofs')
  for (const again of [false, true]) {
    if (again) await page.reload()
    await expect(page.getByRole('main')).toContainText('Deal of Acme Solar')
    await expect(page.getByRole('main')).not.toContainText('Bright Roofs')
  }

  await headLink(page, 'Board').click()
  await expect(page).toHaveURL(`/deals/board?partner=${a.slug}`)
  await expect(page.getByRole('main')).toContainText('Deal of Acme Solar')
  // Viewing another partner loads another document. Back restores the previous document.
  await page.goto(`/deals/board?partner=${b.slug}`)
  await expect(page.getByRole('main')).toContainText('Deal of Bright Roofs')
  for (const [by, path, name] of [
    ['back', `/deals/board?partner=${a.slug}`, 'Acme Solar'],
    ['back', `/deals?partner=${a.slug}`, 'Acme Solar'],
    ['forth', `/deals/board?partner=${a.slug}`, 'Acme Solar'],
    ['forth', `/deals/board?partner=${b.slug}`, 'Bright Roofs'],
    ['back', `/deals/board?partner=${a.slug}`, 'Acme Solar'],
    ['back', `/deals?partner=${a.slug}`, 'Acme Solar'],
  ] as const) {
    await go(page, by)
    await expect(page).toHaveURL(path)
    await expect(banner(page)).toContainText(`Viewing as ${name}`)
    await expect(page.getByRole('main')).toContainText(`Deal of ${name}`)
  }

  const path = `/deals/${a.dealId}?partner=${a.slug}`
  // Playwright sometimes misses tabs that the browser opens, so try again with another tab.
  await expect(async () => {
    const [opened] = await Promise.all([
      context.waitForEvent('page', { timeout: 5000 }),
      page.getByRole('link', { name: 'Deal of Acme Solar' }).click({ button: 'middle' }),
    ])
    await expect(banner(opened)).toContainText('Viewing as Acme Solar', { timeout: 5000 })
    expect(await opened.evaluate(() => location.pathname + location.search)).toBe(path)
  }).toPass({ timeout: 60_000 })
  const bookmark = await openTab(context, path)
  await expect(bookmark.getByRole('heading', { level: 1 })).toHaveText('Deal of Acme Solar')
  // A deal of one partner is not available on another partner's pages.
  expect((await bookmark.goto(`/deals/${a.dealId}?partner=${b.slug}`))!.status()).toBe(404)
})

test('switching partners closes open forms and drops cached responses; the link back comes first', async ({
  page,
  system,
}) => {
  const { a, b } = await start(system, page, (slugs) => `/tokens?partner=${slugs.a}`)
  await page.getByRole('button', { name: 'Create token' }).click()
  await dialog(page).getByLabel('Name').fill('CRM')
  // The portal's own links never do this, but a bug in the program could.
  await page.evaluate((slug) => window.history.pushState(null, '', `/tokens?partner=${slug}`), b.slug)
  await expect(banner(page)).toContainText('Viewing as Bright Roofs')
  await expect(dialog(page)).toHaveCount(0)
  await ready(page)
  await page.evaluate(() => window.history.pushState(null, '', '/tokens'))
  await expect(page.getByRole('button', { name: 'Create internal token' })).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
  expect(
    await system.db.$client`select 1 from tokens where name = 'CRM' and partner_id in (${a.id}, ${b.id})`,
  ).toEqual([])
  await page.goto(`/deals?partner=${a.slug}`)
  await ready(page)
  await test.step("The link out of a partner's pages also comes first by keyboard", async () => {
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(banner(page).getByRole('link', { name: 'Back to all partners' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Partner: All partners' })).toBeFocused()
    await expect(page).toHaveURL('/deals')
  })
})

test('every link, call, download and command of the portal keeps the partner', async ({ page, system }) => {
  test.slow()
  const { a, operator } = await start(system, page, (slugs) => `/?partner=${slugs.a}`)
  const strayCalls: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams, origin } = new URL(request.url())
    if (
      origin === system.url &&
      !pathname.startsWith('/_next/') &&
      pathname !== '/icon.svg' &&
      // All tabs share one stream, and each tab picks its partner's changes.
      pathname !== '/live' &&
      searchParams.getAll('partner').join() !== a.slug
    )
      strayCalls.push(`${request.method()} ${request.url()}`)
  })
  const paths = [
    '/',
    '/deals',
    '/deals/board',
    `/deals/${a.dealId}`,
    '/webhooks',
    '/deliveries',
    '/tokens',
    '/team',
    '/audit',
    '/imports',
    '/health',
    '/account',
    '/docs',
    '/docs/webhooks',
    '/nowhere',
  ]
  const ownPartner = new RegExp(`[?&]partner=${a.slug}(?:[&#]|$)`)
  for (const path of paths) {
    const html = await (await page.request.get(`${path}?partner=${a.slug}`)).text()
    // Links in the banner and in the list of partners change the partner on purpose.
    const links = [...html.replace(/<aside.*?<\/aside>/s, '').matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(
      ([, href]) => href!.replaceAll('&amp;', '&'),
    )
    expect(links.length, path).toBeGreaterThan(0)
    const documents = ['/api/openapi.json', '/llms.txt']
    expect(
      links.filter((href) => !ownPartner.test(href) && !documents.includes(href)),
      path,
    ).toEqual([])
  }
  await page.goto(`/deals?partner=${a.slug}`)
  await expect(page.getByRole('main')).toContainText('Deal of Acme Solar')
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'All columns' }).click(),
  ])
  expect(download.url()).toMatch(ownPartner)
  await page
    .getByRole('searchbox')
    .or(page.getByRole('textbox', { name: /search/i }))
    .first()
    .fill('acme')
  await expect(page).toHaveURL(/[?&]q=acme/)
  await expect(page).toHaveURL(ownPartner)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('tokens')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/tokens?partner=${a.slug}`)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('deal of acme')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/deals/${a.dealId}?partner=${a.slug}`)
  await page.getByRole('link', { name: 'Back to deals' }).click()
  await expect(page).toHaveURL(ownPartner)
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Operate' }).click()
  await expect(page).toHaveURL(`/partners?partner=${a.slug}`)
  await section(page, 'Webhooks').click()
  await expect(page).toHaveURL(`/webhooks?partner=${a.slug}`)
  await expect(page.getByRole('heading', { name: 'Select a partner' })).toHaveCount(0)
  await section(page, 'Developers').click()
  await page.getByRole('link', { name: 'Back to the portal' }).click()
  await expect(page).toHaveURL(`/?partner=${a.slug}`)
  await expect(banner(page)).toContainText('Viewing as Acme Solar')
  expect(strayCalls).toEqual([])

  await clearCookies(page)
  await page.goto(`/tokens?partner=${a.slug}`)
  await expect(page).toHaveURL(
    `/sign-in?${new URLSearchParams({ callbackUrl: `/tokens?partner=${a.slug}` })}`,
  )
  await signIn(page, operator)
  await expect(page).toHaveURL(`/tokens?partner=${a.slug}`)
  await expect(banner(page)).toContainText('Viewing as Acme Solar')
})

test('an unknown partner has no page and no responses; only the URL selects the partner', async ({
  system,
}) => {
  const [a, b] = [await makePartner(system, 'Acme Solar'), await makePartner(system, 'Bright Roofs')]
  const cookie = await signedInUser(system, 'operator', null)
  const read = async (path: string, headers = {}) => {
    const { status, text } = await ask(system, `GET ${path}`, { headers: { cookie, ...headers } })
    return [status, text] as const
  }
  const call = (query: string, headers = {}) => read(`/api/trpc/accounts.me?${query}`, headers)
  // Additional headers of a client must have no effect.
  for (const headers of [{}, { 'x-page-partner': b.slug }, { 'x-partner': b.slug }]) {
    expect(await call(`partner=${a.slug}`, headers)).toEqual([
      200,
      expect.stringContaining(`"chosenPartner":{"slug":"${a.slug}"`),
    ])
    expect(await call('', headers)).toEqual([200, expect.stringContaining('"chosenPartner":null')])
  }
  for (const query of ['partner=nobody', 'partner=', `partner=${a.slug}&partner=${b.slug}`, 'partner=%ff']) {
    expect(await call(query), query).toEqual([
      400,
      expect.stringContaining('partner: must be the slug of a partner'),
    ])
    expect((await read(`/deals/export?all=1&${query}`))[0], query).toBe(400)
    expect((await read(`/deals?${query}`))[0], query).toBe(404)
  }
  for (const path of ['/', '/deals', '/team', '/webhooks', '/imports'])
    expect(await read(`${path}?partner=nobody`), path).toEqual([
      404,
      expect.stringContaining('Partner not found'),
    ])
})

test('partner users can open only pages of their own partner, with or without its slug in the URL', async ({
  page,
  system,
}) => {
  const other = await makePartner(system, 'Bright Roofs')
  const admin = await makeUser(system, { role: 'admin' })
  await enter(page, admin, `/team?partner=${admin.slug}`)
  await expect(page.getByRole('table', { name: 'People' })).toContainText(admin.email)
  await expect(banner(page)).toHaveCount(0)
  const input = '{"json":{"isEnded":false}}'
  for (const slug of [other.slug, 'nobody', ''])
    for (const path of ['/deals', '/account', '/deals/export', '/audit/export', '/api/trpc/tokens.list'])
      expect(
        (await page.request.get(`${path}?${new URLSearchParams({ partner: slug, input })}`)).status(),
        `${path} of ${slug}`,
      ).toBe(403)
  const data = { json: { name: 'Stray', scopes: ['deals:read'], span: 'never', day: '' } }
  const headers = { origin: system.url }
  expect(
    (await page.request.post(`/api/trpc/tokens.create?partner=${other.slug}`, { headers, data })).status(),
  ).toBe(403)
  expect(await system.db.$client`select 1 from tokens where name = 'Stray'`).toEqual([])
  await page.goto(`/team?partner=${other.slug}`)
  await page.getByRole('link', { name: 'Go to your deals' }).click()
  await expect(page).toHaveURL('/deals')
})
