import type { Locator, Page } from '@playwright/test'
import { formatCount, formatDollars, formatDollarsShort } from '#app/ui/format.ts'
import { demonstration, expect, test as shared } from './fixtures.ts'
import { enter } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

// Each number of deals leads to exactly them.

// Totals of a long list may lag behind, such as those of all deals to which other tests have added theirs.
const test = shared.extend<object, { system: RunningSystem }>({ system: demonstration })

/** The links of the page to lists of deals, with what they say. */
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

/** Returns the number of deals that the text of a link says; null when it says dollars, days or a share alone. */
function countIn(text: string): number | null {
  const [, count] =
    /([\d,]+) deals?\b/.exec(text) ??
    / of ([\d,]+)$/.exec(text) ??
    /^([\d,]+)(?! days?$)(?: |$)/.exec(text) ??
    []
  return count === undefined ? null : Number(count.replaceAll(',', ''))
}

const dollarsIn = (text: string) => /\$[\d.,]+[KMB]?/.exec(text)?.[0] ?? null

/** Returns the numbers in figures and cells of the page that lead nowhere. */
const bareNumbers = (main: Locator): Promise<string[]> =>
  main.evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const bare: string[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent!.trim()
      if (!/^\$?\d[\d,.]*(?:[KMB]|%)?(?: (?:deals?|days?))?$/.test(text) || /^\$?0%?$/.test(text)) continue
      // The page itself shows these; axes, legends and the figures of one deal are no number of deals.
      const element = node.parentElement!
      const notOfDeals =
        'a, button, svg, select, [role=status], [aria-hidden], [aria-label="Deals in a county"], tr:has(a[href^="/deals/"])'
      if (element.closest(notOfDeals)) continue
      if (/most frequent/.test(element.textContent)) continue
      bare.push(`${text} in ${node.parentElement!.closest('tr, li, section, p')?.textContent}`)
    }
    return bare
  })

/** About so many of the links of a page are opened, of all of its parts. */
const sampleSize = 8

async function expectEachToLead(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('main').locator('a[href^="/deals?"]').first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  for (const summary of await page.getByText('Show figures').all()) await summary.click()
  const main = page.getByRole('main')
  expect(await bareNumbers(main), path).toEqual([])
  const links = await listLinks(page)
  const told = [...new Map(links.map((link) => [`${link.href} ${link.text}`, link])).values()].filter(
    ({ text }) => countIn(text) !== null || dollarsIn(text) !== null,
  )
  expect(told.length, path).toBeGreaterThan(2)
  const step = Math.max(1, Math.floor(told.length / sampleSize))
  for (const { href, text } of told.filter((_, index) => index % step === 0)) {
    await page.goto(href)
    const total = page.locator('p[role=status]', { hasText: /deals?\b/ }).first()
    await expect(total).toBeVisible()
    const [, count, , amount = '0'] = /^([\d,]+) deals?( · \$([\d,]+))?$/.exec(await total.innerText()) ?? []
    const what = `${path}: ${text} at ${href}`
    if (countIn(text) !== null) expect(count, what).toBe(formatCount(countIn(text)!))
    else {
      const dollars = Number(amount.replaceAll(',', ''))
      const shown = dollarsIn(text)!
      expect(/[KMB]$/.test(shown) ? formatDollarsShort(dollars) : formatDollars(dollars), what).toBe(shown)
    }
  }
}

for (const path of ['/', '/money', '/flow', '/flow/trends', '/flow/trends?show=amount', '/deals/map'])
  test(`each number of ${path} leads to exactly its deals, for a partner and for an operator`, async ({
    page,
    browser,
    system,
    demo,
  }) => {
    test.slow()
    await enter(page, demo)
    await expectEachToLead(page, path)
    const operator = await browser.newPage({ baseURL: system.url })
    await enter(
      operator,
      demo.accounts.find(({ role }) => role === 'operator')!,
    )
    await expectEachToLead(operator, path)
    await operator.close()
  })

test('each number of the list of partners and of findings leads to exactly its deals', async ({
  page,
  demo,
}) => {
  test.slow()
  await enter(
    page,
    demo.accounts.find(({ role }) => role === 'operator')!,
  )
  await expectEachToLead(page, '/partners')
  await page.goto('/findings')
  const rows = page.getByRole('table', { name: 'Findings' }).getByRole('row')
  await expect(rows.nth(1)).toBeVisible()
  expect(await bareNumbers(page.getByRole('main'))).toEqual([])
  const counts = await rows.getByRole('cell').getByRole('link').all()
  for (const [index, link] of counts.entries()) {
    const count = Number((await link.innerText()).replaceAll(',', ''))
    if (index > 1 || count > 50) continue
    await link.click()
    await expect(page.getByRole('table').getByRole('row')).toHaveCount(count + 1)
    await page.goBack()
  }
})

test('a point of a chart leads to its deals', async ({ page, demo }) => {
  await enter(page, demo, '/flow/trends')
  const chart = page.locator('.recharts-surface').first()
  await expect(chart).toBeVisible()
  const box = (await chart.boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.locator('[data-point]').last().click()
  await expect(page).toHaveURL(/\/deals\?fundingSubmitted=/)
})
