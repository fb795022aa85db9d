import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'
import { bringIn, newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

// Open pages show changes without moving what the user is reading.

const within = { timeout: 3000 }
const rows = (page: Page) =>
  page
    .getByRole('table', { name: 'Deals' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const show = (page: Page) => page.getByRole('button', { name: /changed · Show$/ })

/** Creates a partner with a user and deals, latest change first. */
async function start(system: RunningSystem, count: number) {
  const user = await makeUser(system, { role: 'admin' })
  const deals = newIds(count).map((dealId, index) => ({
    id: dealId,
    dealname: `Deal ${String.fromCodePoint(65 + index)}`,
    stage: 'Permit Submitted',
    lastModified: new Date(Date.now() - (index + 1) * 60_000).toISOString(),
  }))
  const write = (records: Parameters<typeof bringIn>[2]) => bringIn(system, user.partner, records)
  await write(deals)
  return { user, deals, write }
}

/** Waits until the page is connected to the change stream. */
const isLive = (page: Page) =>
  page.waitForResponse((response) => new URL(response.url()).pathname === '/live')

test('a list and a deal in two windows update in place; the list is reordered on request', async ({
  page,
  context,
  system,
}) => {
  const { user, deals, write } = await start(system, 4)
  const streams: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/live') streams.push(request.method())
  })
  const live = isLive(page)
  await enter(page, user, '/deals')
  await live
  const names = () => rows(page).getByRole('link').allInnerTexts()
  expect(await names()).toEqual(['Deal A', 'Deal B', 'Deal C', 'Deal D'])

  const tab = await context.newPage()
  const tabLive = isLive(tab)
  await tab.goto(`/deals/${deals[2]!.id}`)
  await tabLive

  const now = new Date().toISOString()
  await write([{ ...deals[2]!, stage: 'Install Complete', lastModified: now }])
  await expect(tab.getByText('Install Complete').first()).toBeVisible(within)
  await expect(rows(page).nth(2)).toContainText('Install Complete', within)
  expect(await names()).toEqual(['Deal A', 'Deal B', 'Deal C', 'Deal D'])
  await expect(show(page)).toHaveText('1 deal changed · Show')

  // Another partner's changes do not affect the list.
  const other = await start(system, 1)
  await other.write([{ ...other.deals[0]!, stage: 'Closed' }])
  await write([{ ...deals[3]!, amount: 100, lastModified: now }])
  await expect(show(page)).toHaveText('2 deals changed · Show', { timeout: 5000 })
  await show(page).click()
  await expect(show(page)).toHaveCount(0)
  await expect.poll(names).toEqual(['Deal D', 'Deal C', 'Deal A', 'Deal B'])

  // The other window has a stream of its own.
  await page.close()
  await write([{ ...deals[2]!, stage: 'Inspection Passed', lastModified: new Date().toISOString() }])
  await expect(tab.getByText('Inspection Passed').first()).toBeVisible(within)
  expect(streams).toEqual(['GET', 'GET'])
})

test('deals similar to a search are found again after they change', async ({ page, system }) => {
  const { user, deals, write } = await start(system, 1)
  await write([{ ...deals[0]!, dealname: 'Garcia, Daniel' }])
  const live = isLive(page)
  await enter(page, user, '/deals?q=garzia')
  await live
  await expect(rows(page)).toContainText('Garcia, Daniel')
  await write([{ ...deals[0]!, dealname: 'Garcia, Daniela', lastModified: new Date().toISOString() }])
  await expect(rows(page)).toContainText('Garcia, Daniela')
})

test('a deal links to its neighbors in the list, by keys and buttons', async ({ page, system }) => {
  const { user, deals } = await start(system, 4)
  await enter(page, user, '/deals?sort=-dealname&stage=Permit+Submitted')
  const heading = page.getByRole('heading', { level: 1 })
  await page.getByRole('link', { name: 'Deal C' }).click()
  await expect(heading).toHaveText('Deal C')
  const neighbour = (name: string) => page.getByRole('link', { name: `${name} deal` })
  await expect(neighbour('Next')).toHaveAttribute('href', `/deals/${deals[1]!.id}`)
  await page.keyboard.press('j')
  await expect(heading).toHaveText('Deal B')
  await neighbour('Next').click()
  await expect(heading).toHaveText('Deal A')
  await expect(neighbour('Next')).toHaveAttribute('aria-disabled', 'true')
  for (const name of ['Deal B', 'Deal C', 'Deal D']) {
    await expect(neighbour('Previous')).toHaveAttribute('href', /deals/)
    await page.keyboard.press('k')
    await expect(heading).toHaveText(name)
  }
  await page.keyboard.press('Space')
  await expect(page).toHaveURL(`/deals?sort=-dealname&stage=Permit+Submitted&peek=${deals[3]!.id}`)
  await expect(page.getByRole('complementary', { name: 'Deal D' })).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Back to deals' }).click()
  await expect(page).toHaveURL('/deals?sort=-dealname&stage=Permit+Submitted')
  await page.goto(`/deals/${deals[0]!.id}`)
  await expect(heading).toHaveText('Deal A')
})
