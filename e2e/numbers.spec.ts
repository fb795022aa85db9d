import type { Locator, Page } from '@playwright/test'
import { type DealsState, filterOf, readDealsQuery } from '#app/(portal)/deals/query.ts'
import { formatCount, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { withPartner } from '#app/ui/partner-href.ts'
import { sparsePartners } from '#db/demo/sparse.ts'
import { findPartner } from '#server/accounts/store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DemoAccess } from '#server/programs/demo.ts'
import { dayOf, utc } from '#server/values/zone.ts'
import { demonstration, expect, test as shared } from './fixtures.ts'
import { carrySession, enter, loaded } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

// Every number of deals must be a link to exactly these deals.

// A separate system, because totals of a long list would lag when other tests add deals.
const test = shared.extend<object, { system: RunningSystem }>({ system: demonstration })

/** Returns the operator's demo account. */
const operatorOf = ({ accounts }: DemoAccess) => accounts.find(({ role }) => role === 'operator')!

/** Returns the page's links to lists of deals, with their texts. */
const listLinks = (page: Page): Promise<{ href: string; text: string }[]> =>
  page
    .getByRole('main')
    .getByRole('link')
    .evaluateAll((links) =>
      links.flatMap((link) => {
        const href = link.getAttribute('href')!
        return /^\/deals(?:\?|$)/.test(href) ? [{ href, text: link.textContent }] : []
      }),
    )

/** Returns the number of deals in a link's text, or null if it only contains dollars, days or a share. */
function countIn(text: string): number | null {
  const [, count] =
    /([\d,]+) deals?\b/.exec(text) ??
    / of ([\d,]+)$/.exec(text) ??
    /^([\d,]+)(?! days?$)(?: |$)/.exec(text) ??
    []
  return count === undefined ? null : Number(count.replaceAll(',', ''))
}

const dollarsIn = (text: string) => /\$[\d.,]+[KMB]?/.exec(text)?.[0] ?? null

/** Returns numbers on the page that are not links. */
const bareNumbers = (main: Locator): Promise<string[]> =>
  main.evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const bare: string[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent!.trim()
      if (!/^\$?\d[\d,.]*(?:[KMB]|%)?(?: (?:deals?|days?))?$/.test(text) || /^\$?0%?$/.test(text)) continue
      // Skip text that does not state a number of deals, such as axes, legends and the figures of a single
      // deal.
      const element = node.parentElement!
      const notOfDeals =
        'a, button, svg, select, [role=status], [aria-hidden], [aria-label="Deals in a county"], tr:has(a[href^="/deals/"])'
      if (element.closest(notOfDeals)) continue
      if (/most frequent/.test(element.textContent)) continue
      bare.push(`${text} in ${node.parentElement!.closest('tr, li, section, p')?.textContent}`)
    }
    return bare
  })

/** Output of the procedure that counts the deals of a list. */
interface Counted {
  count: number
  isMore: boolean
  amount: number | null
}

/** At any time, these two zones have different dates. */
const farZones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']

/** Maximum number of calls per batch. */
const batchMax = 10

const queryOf = (href: string) => new URL(href, 'http://portal').searchParams

/** Counts the deals behind links to lists, with the procedure that the lists use. */
async function countEach(page: Page, hrefs: string[]): Promise<Map<string, Counted>> {
  const counted = new Map<string, Counted>()
  for (const [partner, alike] of Map.groupBy(new Set(hrefs), (href) => queryOf(href).get('partner')))
    for (let from = 0; from < alike.length; from += batchMax) {
      const batch = alike.slice(from, from + batchMax)
      const inputs = batch.map((href) => {
        const state = readDealsQuery(queryOf(href)) as DealsState
        return { json: { filter: filterOf(state, dayOf(new Date(), utc)) } }
      })
      const query = new URLSearchParams({ batch: '1', input: JSON.stringify({ ...inputs }) })
      const path = `/api/trpc/${batch.map(() => 'deals.count').join()}?${query}`
      const answer = await page.request.get(withPartner(path, partner))
      const results = (await answer.json()) as { result: { data: { json: Counted } } }[]
      for (const [index, href] of batch.entries()) counted.set(href, results[index]!.result.data.json)
    }
  return counted
}

/** Describes how a link's text differs from its deals; empty if the text is correct. */
function untrue(text: string, { count, isMore, amount }: Counted): string | null {
  const linkCount = countIn(text)
  if (linkCount !== null) return linkCount === count && !isMore ? null : `${count}${isMore ? '+' : ''} deals`
  const shown = dollarsIn(text)!
  const dollars = (/[KMB]$/.test(shown) ? formatDollarsShort : formatDollars)(amount ?? 0)
  return shown === dollars ? null : dollars
}

/**
 * Checks all numbers on the page, and opens the page first unless `isOpen` is true. Returns the last link
 * whose list must show the same number.
 */
async function expectEachToLead(
  page: Page,
  path: string,
  { isOpen = false } = {},
): Promise<{ href: string; count: number }> {
  if (!isOpen) await page.goto(path)
  const main = page.getByRole('main')
  await expect(main.locator('a[href^="/deals?"]').first()).toBeVisible()
  await loaded(page)
  for (const summary of await main.locator('details > summary').all()) await summary.click()
  await loaded(page)
  for (const more of await page.getByRole('button', { name: /^Show all/ }).all()) await more.click()
  expect(await bareNumbers(main), path).toEqual([])
  const links = await listLinks(page)
  const uniqueLinks = [...new Map(links.map((link) => [`${link.href} ${link.text}`, link])).values()].filter(
    ({ text }) => countIn(text) !== null || dollarsIn(text) !== null,
  )
  expect(uniqueLinks.length, path).toBeGreaterThan(1)
  const counted = await countEach(
    page,
    uniqueLinks.map(({ href }) => href),
  )
  const wrong = uniqueLinks.flatMap(({ href, text }) => {
    const found = untrue(text, counted.get(href)!)
    return found === null ? [] : [`${text} at ${href}: ${found}`]
  })
  expect(wrong, path).toEqual([])
  const { href } = uniqueLinks.at(-1)!
  return { href, count: counted.get(href)!.count }
}

/** Expects the list to show the number that the procedure counts. */
async function expectListToCount(
  page: Page,
  { href, count }: { href: string; count: number },
): Promise<void> {
  await page.goto(href)
  const total = page.locator('p[role=status]', { hasText: /deals?\b/ }).first()
  await expect(total).toHaveText(new RegExp(`^${formatCount(count)} deals?\\b`))
}

// Unit tests check the numbers of each partner, all partners and each rep, in every zone. These tests check
// that pages link to them: all pages for one partner, and pages that differ for other partners.

test('each number on a page leads to exactly its deals', async ({ page, demo }) => {
  test.slow()
  await carrySession(page, demo)
  let last: { href: string; count: number }
  for (const path of [
    '/',
    '/?show=everyone',
    '/money',
    '/week',
    '/week?week=2026-W10',
    '/flow?by=stage&show=slow&months=12',
    '/flow?by=city&show=reached&months=3',
    '/flow/trends?show=amount&by=lender',
    '/flow/trends?unit=week&by=battery&of=funded',
    '/deals/map',
  ])
    last = await expectEachToLead(page, path)
  await expectListToCount(page, last!)
})

test('each number that an operator sees for all partners leads to exactly its deals', async ({
  page,
  demo,
}) => {
  test.slow()
  await carrySession(page, operatorOf(demo))
  for (const path of ['/', '/flow', '/deals/map']) await expectEachToLead(page, path)
})

for (const [index, { slug, name }] of sparsePartners.entries())
  test(`at ${slug}, each number leads to exactly its deals, and pages state what they leave out`, async ({
    page,
    demo,
  }) => {
    test.slow()
    await carrySession(
      page,
      demo.accounts.find(({ partner }) => partner === name)!,
    )
    for (const path of index === 0 ? ['/', '/flow'] : ['/', '/money', '/week']) {
      await expectEachToLead(page, path)
      await expect(page.getByText('Not included:').first()).toBeVisible()
      // Some installs have no date, so the number of installs in this week is unknown.
      if (path === '/week')
        await expect(page.getByRole('list', { name: 'Changes of the week' })).toContainText('Installed–')
    }
    // The other partner's deals have no dates.
    for (const path of index === 0 ? [] : ['/flow', '/flow/trends']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { name: /^No .*dates/ })).toBeVisible()
    }
    await expectScorecardToLead(page, '/scorecard')
  })

/** Expects the scorecard's numbers to link to their deals. Deals without known people have no such links. */
async function expectScorecardToLead(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { name: 'Scorecard', level: 1 })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByRole('table').or(main.getByRole('heading', { name: /^No / }))).toBeVisible()
  if (await main.getByRole('table').isVisible()) await expectEachToLead(page, path, { isOpen: true })
}

test('each number in the scorecard leads to exactly its deals', async ({ page, demo }) => {
  test.slow()
  await carrySession(page, demo)
  for (const path of ['/scorecard', '/scorecard?role=owner&window=this-week&sort=late'])
    await expectScorecardToLead(page, path)
})

test('each number in the list of partners leads to exactly its deals', async ({ page, system, demo }) => {
  test.slow()
  const { $client: sql } = system.db
  const zones = await sql<{ slug: string; zone: string | null }[]>`
    select slug, time_zone as zone from partners order by slug`
  // At any time, it is another day in at least one of these zones.
  for (const [index, { slug }] of zones.entries())
    await sql`update partners set time_zone = ${farZones[index % 2]!} where slug = ${slug}`
  await carrySession(page, operatorOf(demo))
  await expectEachToLead(page, '/partners')
  for (const { slug, zone } of zones) await sql`update partners set time_zone = ${zone} where slug = ${slug}`
})

test('each bar of a chart leads to its deals', async ({ page, demo }) => {
  await enter(page, demo, '/flow/trends')
  const chart = page.locator('.recharts-surface').first()
  await expect(chart).toBeVisible()
  await page.locator('[data-bar]').first().click()
  await expect(page).toHaveURL(/\/deals\?createDate=/)
})

// This test must be last, because other tests count the demo deals.
test('each number of data issues leads to exactly its deals, for partners and operators', async ({
  page,
  browser,
  system,
  demo,
}) => {
  test.slow()
  const { id: partnerId } = (await findPartner(system.db, demo.slug))!
  const home = { streetAddress: '1208 W Palm Ln', zipCode: '85007' }
  await writeDeals(
    system.db,
    [
      { id: 1n, installCompleted: true },
      { id: 2n, installCompleted: true, systemSize: 'TBD' },
      { id: 3n, coordinates: '0,0', state: 'AZ' },
      { id: 4n, ...home },
      { id: 5n, ...home },
    ].map((record) => ({ record, partnerId })),
    { now: new Date(), events: false },
  )
  await carrySession(page, demo)
  await expectIssuesToLead(page, 4)
  await using operator = await browser.newPage({ baseURL: system.url })
  await carrySession(operator, operatorOf(demo))
  await expectIssuesToLead(operator, 4)
})

/** Expects every count of data issues to match its file and its list. */
async function expectIssuesToLead(page: Page, atLeast: number): Promise<void> {
  await page.goto('/data-issues')
  const rows = page.getByRole('table', { name: 'Data issues' }).getByRole('row')
  await expect(rows.nth(1)).toBeVisible()
  expect(await bareNumbers(page.getByRole('main'))).toEqual([])
  const linkedCounts = await rows
    .getByRole('cell')
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => [link.getAttribute('href')!, Number(link.textContent)] as const),
    )
  expect(linkedCounts.length).toBeGreaterThanOrEqual(atLeast)
  for (const [href, count] of linkedCounts) {
    const file = await (await page.request.get(`${href}/export`)).text()
    expect(file.trim().split('\r\n'), href).toHaveLength(count + 1)
    await page.goto(href)
    // Long lists show 50 rows at first.
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(Math.min(count, 50) + 1)
  }
}
