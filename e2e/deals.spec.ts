import type { Browser, Page } from '@playwright/test'
import type { DealRecord, Person } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { type Access, cookieOf, enter as enterAt, makeUser, ready } from './portal-user.ts'
import { ask } from './rest/client.ts'
import type { RunningSystem } from './system.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Deals' })
const rows = (page: Page) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
const names = async (page: Page) => await rows(page).getByRole('link').allInnerTexts()
const search = (page: Page) => page.getByRole('textbox', { name: 'Search deals' })
const total = (page: Page) =>
  page.getByRole('heading', { name: 'Deals', level: 1 }).locator('..').getByRole('status')
const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' })
const dayMs = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

/** Opens a menu by its button above the table. */
async function openMenu(page: Page, name: string, dialog = name) {
  await page
    .getByRole('button', { name, exact: true })
    .or(page.getByRole('button', { name: new RegExp(`^${name} ?, \\d+ selected$`) }))
    .and(page.locator('[aria-haspopup]'))
    .click()
  return page.getByRole('dialog', { name: dialog, exact: true })
}

/** Creates a partner with these deals, latest change first. Returns two members of the partner. */
async function makeTeam(system: RunningSystem, deals: Omit<DealRecord, 'id'>[] = []) {
  const dated = deals.map((deal, index) => ({ lastModified: ago((index + 1) / 100), ...deal }))
  const ana = await makeUser(system, { name: 'ana', deals: dated })
  return { ana, ben: await makeUser(system, { name: 'ben', partner: ana.partner }) }
}

/** Signs a user in and opens a page of deals. */
async function enter(page: Page, user: Access, path = '/deals'): Promise<void> {
  await enterAt(page, user, path)
  await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
}

async function asColleague(browser: Browser, system: RunningSystem, user: Access): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: system.url })).newPage()
  await enter(page, user)
  return page
}

const few: Omit<DealRecord, 'id'>[] = [
  {
    dealname: 'Lopez, Ana',
    city: 'Phoenix',
    state: 'AZ',
    stage: 'Permit Submitted',
    pipeline: 'Residential',
    amount: 30_000,
    systemSize: '8.80',
    closerName: 'Jordan Reyes',
    hasHoa: true,
    primaryPhone: '(602) 555-0147',
    createDate: ago(3),
    timeInCurrentStage: ago(3),
    permitSubmitted: ago(2),
  },
  {
    dealname: 'Garcia, Daniel',
    city: 'Tucson',
    state: 'AZ',
    stage: 'Install Scheduled',
    pipeline: 'Residential',
    amount: 20_000,
    systemSize: '5.20',
    closerName: 'Alex Kim',
    hasHoa: false,
    createDate: ago(60),
    timeInCurrentStage: ago(40),
    permitSubmitted: ago(40),
    permitReceived: ago(20),
  },
  {
    dealname: 'Walker, Jeff',
    city: 'Reno',
    state: 'NV',
    stage: 'Permit Submitted',
    pipeline: 'Commercial',
    amount: 90_000,
    systemSize: '40.00',
    closerName: 'Jordan Reyes',
    hasHoa: false,
    createDate: ago(200),
    timeInCurrentStage: ago(80),
    permitSubmitted: ago(100),
  },
  { dealname: 'Vale, Robin', city: 'Reno', createDate: ago(400) },
]

test.describe('the search', () => {
  test('finds deals while typing, tolerates typos, and suggests filters', async ({ page, system }) => {
    const { ana } = await makeTeam(system, [...few, { dealname: 'Lopes, Rui', city: 'Mesa' }])
    await enter(page, ana, '/deals?q=garcia&state=NV')
    await test.step('If no deal matches, the page offers to remove filters', async () => {
      await expect(page.getByText('No matching deals')).toBeVisible()
      await page.getByRole('button', { name: 'Remove Region: NV' }).click()
      await expect(rows(page)).toHaveCount(1)
      await search(page).fill('nobody')
      await page.getByRole('button', { name: 'Show all deals' }).click()
      await expect(rows(page)).toHaveCount(5)
      await expect(page).toHaveURL('/deals')
    })
    await test.step('The search finds deals while typing and counts them separately', async () => {
      await expect(total(page)).toHaveText('5 deals · $140,000 · 2 without an amount')
      await search(page).blur()
      await page.keyboard.press('/')
      await expect(search(page)).toBeFocused()
      await page.keyboard.type('reno')
      await expect(rows(page)).toHaveCount(2)
      await expect(total(page)).toHaveText('2 deals · $90,000 · 1 without an amount')
      await expect(page).toHaveURL('/deals?q=reno')
      await page.keyboard.type(' wal')
      await expect(rows(page)).toHaveCount(1)
      expect(await names(page)).toEqual(['Walker, Jeff'])
      await page.keyboard.press('Escape')
      await expect(search(page)).toHaveValue('')
      await expect(rows(page)).toHaveCount(5)
      await expect(page).toHaveURL('/deals')
      await page.keyboard.press('Escape')
      await expect(search(page)).not.toBeFocused()
      await search(page).fill('602 555')
      await search(page).fill('5550147')
      await expect(rows(page)).toHaveCount(1)
    })
    await test.step('The search suggests a filter for matching words, and the filter leads to as many deals', async () => {
      await search(page).fill('permit submitted in AZ')
      const offer = page.getByRole('list', { name: 'Suggested filters' }).getByRole('button')
      await expect(offer).toHaveText('Show: Permit Submitted · AZ1 deal')
      await expect(page.getByText('No matching deals')).toBeVisible()
      await offer.click()
      await expect(rows(page)).toHaveCount(1)
      await expect(total(page)).toHaveText('1 deal · $30,000')
      await expect(search(page)).toHaveValue('')
    })
    await test.step('The search tolerates a typo, and lists similar deals after exact matches', async () => {
      await page.getByRole('button', { name: 'Clear all' }).click()
      await expect(rows(page)).toHaveCount(5)
      await search(page).fill('garzia')
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page)).toContainText('Garcia, Daniel')
      await expect(page.getByText('No exact match for “garzia”; showing similar: Garcia')).toBeVisible()
      await search(page).fill('Lopes')
      await expect(page.getByText('1 exact match, then similar: Lopez')).toBeVisible()
      expect(await names(page)).toEqual(['Lopes, Rui', 'Lopez, Ana'])
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill('garzia')
      await expect(page.getByRole('option')).toContainText(['Garcia, Daniel'])
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/deals\/\d+$/)
    })
  })
})

test.describe('the filters of deals', () => {
  test('offer lists with counts, dates, numbers and durations, appear as chips, and can be removed', async ({
    page,
    system,
  }) => {
    const { ana } = await makeTeam(system, few)
    await enter(page, ana, '/deals?is=mine')
    await test.step('If the viewer has no deals, the page explains how own deals are recognized', async () => {
      await expect(page.getByText('No matching deals')).toBeVisible()
      await expect(page.getByText(`has your e-mail address, ${ana.email}.`)).toBeVisible()
    })
    await page.getByRole('button', { name: 'Show all deals' }).click()
    await expect(page).toHaveURL('/deals')

    await test.step('Choice lists show counts, and each choice becomes a removable chip', async () => {
      const stages = await openMenu(page, 'Stage')
      await expect(stages.getByRole('option', { name: 'Permit Submitted 2' })).toBeVisible()
      await stages.getByRole('combobox').fill('permit')
      await expect(stages.getByRole('option')).toHaveCount(1)
      await page.keyboard.press('Enter')
      await expect(rows(page)).toHaveCount(2)
      await expect(stages.getByRole('option', { name: 'Permit Submitted 2' })).toHaveAttribute(
        'aria-checked',
        'true',
      )
      await stages.getByRole('combobox').fill('')
      await stages.getByRole('option', { name: 'Not set' }).click()
      await expect(rows(page)).toHaveCount(3)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('button', { name: /^Stage ?, 2 selected$/ })).toBeFocused()
      await expect(chips(page)).toContainText('Stage: Permit Submitted, Not set')

      const more = await openMenu(page, 'More', 'More filters')
      await more.locator('summary', { hasText: 'Pipeline' }).click()
      await more.getByRole('option', { name: 'Commercial' }).click()
      await expect(rows(page)).toHaveCount(1)
      await page.keyboard.press('Escape')
      await expect(page).toHaveURL('/deals?stage=Permit+Submitted&stage=&pipeline=Commercial')
      await page.getByRole('button', { name: 'Remove Pipeline: Commercial' }).click()
      await expect(rows(page)).toHaveCount(3)
      await page.getByRole('button', { name: 'Clear all' }).click()
      await expect(rows(page)).toHaveCount(4)
      await expect(page).toHaveURL('/deals')
    })
    await test.step('Date filters have presets, ranges, and set or not set', async () => {
      const dates = await openMenu(page, 'Dates')
      await dates.getByRole('combobox').selectOption('Created')
      await dates.getByRole('button', { name: 'Last 7 days' }).click()
      await expect(rows(page)).toHaveCount(1)
      await expect(page).toHaveURL('/deals?createDate=last-7-days')
      await dates.getByRole('button', { name: 'Any time' }).click()
      await dates.getByLabel('From').fill(ago(100).slice(0, 10))
      await dates.getByLabel('To').fill(ago(10).slice(0, 10))
      await expect(rows(page)).toHaveCount(1)
      expect(await names(page)).toEqual(['Garcia, Daniel'])
      await dates.getByRole('button', { name: 'Any time' }).click()
      await dates.getByRole('combobox').selectOption('Permit received')
      await dates.getByRole('button', { name: 'More…' }).click()
      await dates.getByRole('button', { name: 'No date' }).click()
      await expect(rows(page)).toHaveCount(3)
      await expect(page).toHaveURL('/deals?lacks=permitReceived')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Remove Permit received: no date' }).click()
      await expect(rows(page)).toHaveCount(4)
    })

    await test.step('Amounts and sizes have limits, and flags are yes or no', async () => {
      const more = await openMenu(page, 'More', 'More filters')
      await more.getByLabel('Amount from').fill('25000')
      await expect(rows(page)).toHaveCount(2)
      await more.getByLabel('System size to').fill('10.5')
      await expect(rows(page)).toHaveCount(1)
      await expect(chips(page)).toContainText('Amount: from $25,000')
      await expect(chips(page)).toContainText('System: up to 10.5 kW')
      await more.getByLabel('Amount from').fill('')
      await more.getByLabel('System size to').fill('')
      await expect(rows(page)).toHaveCount(4)
      const hoa = more.getByRole('group', { name: 'Has an HOA' })
      await hoa.getByText('No', { exact: true }).click()
      // The fourth deal has no value for this flag.
      await expect(rows(page)).toHaveCount(2)
      await expect(page).toHaveURL('/deals?no=hasHoa')
      await hoa.getByText('Any').click()
      await expect(page).toHaveURL('/deals')
    })
    await page.keyboard.press('Escape')

    await test.step('The time in stage is filtered by duration, and sorts the longest first', async () => {
      const ages = await openMenu(page, 'In stage', 'Time in stage')
      await ages.getByRole('button', { name: 'Over 30 days' }).click()
      await expect(rows(page)).toHaveCount(2)
      await expect(page.getByRole('button', { name: 'Remove In stage: over 30 days' })).toBeVisible()
      const head = page.getByRole('columnheader', { name: 'In stage' })
      await head.getByRole('button').click()
      await expect(head).toHaveAttribute('aria-sort', 'descending')
      await expect.poll(() => names(page)).toEqual(['Walker, Jeff', 'Garcia, Daniel'])
    })
  })
})

test.describe('the table of deals', () => {
  test('sorts by headers, opens deals, and keeps columns across reloads', async ({ page, system }) => {
    const { ana } = await makeTeam(system, few)
    await enter(page, ana)
    await expect(rows(page)).toHaveCount(4)
    await test.step('The headers sort the table', async () => {
      const head = (name: string) => table(page).getByRole('columnheader', { name, exact: true })
      await head('Amount').getByRole('button').click()
      await expect(head('Amount')).toHaveAttribute('aria-sort', 'ascending')
      await expect(rows(page).first()).toContainText('Garcia')
      await head('Amount').getByRole('button').click()
      await expect(head('Amount')).toHaveAttribute('aria-sort', 'descending')
      await expect(rows(page).first()).toContainText('Walker')
      await expect(page).toHaveURL('/deals?sort=-amount')
      // Deals without an amount come last in both directions.
      await expect(rows(page).last()).toContainText('Vale')
      await head('Amount').getByRole('button').click()
      await expect(page).toHaveURL('/deals')
      await expect(rows(page).first()).toContainText('Lopez')
    })
    await test.step('Clicking anywhere in a row opens its deal, in a new tab on request', async () => {
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        rows(page)
          .first()
          .getByText('$30,000')
          .click({ modifiers: ['Control'] }),
      ])
      await expect(tab).toHaveURL(`/deals/${ana.ids[0]}`)
      await tab.close()
      await rows(page).first().getByText('$30,000').click()
      await expect(page).toHaveURL(`/deals/${ana.ids[0]}`)
    })
    await page.goBack()
    await expect(rows(page)).toHaveCount(4)

    await test.step('Columns and their order persist across reloads', async () => {
      const heads = async () =>
        (await table(page).getByRole('columnheader').allInnerTexts()).map((text) => text.trim())
      expect(await heads()).toEqual([
        'Deal',
        'Stage',
        'In stage',
        'Next step',
        'Who has it',
        'Amount',
        'Expected payment',
      ])
      const menu = await openMenu(page, 'Columns')
      await menu.getByRole('textbox', { name: 'Find a column' }).fill('closer')
      await menu.getByRole('checkbox', { name: 'Closer' }).check()
      await menu.getByRole('textbox', { name: 'Find a column' }).fill('milestones')
      await menu.getByRole('checkbox', { name: 'Permit submitted' }).check()
      for (const name of ['Next step', 'Who has it', 'Expected payment', 'In stage'])
        await menu.getByRole('button', { name: `Hide ${name}` }).click()
      await menu.getByRole('button', { name: 'Move Closer left' }).focus()
      await page.keyboard.press('Enter')
      await menu.getByText('Compact').click()
      await page.keyboard.press('Escape')
      expect(await heads()).toEqual(['Deal', 'Stage', 'Closer', 'Amount', 'Permit submitted'])
      await expect(rows(page).first()).toContainText('Jordan Reyes')

      await expect(page).toHaveURL(
        '/deals?columns=dealname,stage,closerName,amount,permitSubmitted&density=compact',
      )

      await page.reload()
      expect(await heads()).toEqual(['Deal', 'Stage', 'Closer', 'Amount', 'Permit submitted'])
      expect((await rows(page).first().boundingBox())!.height).toBe(40)
      await openMenu(page, 'Columns')
      await menu.getByRole('button', { name: 'Reset' }).click()
      await expect(page).toHaveURL('/deals?density=compact')
    })
  })

  test('shows any field from the first response on', async ({ system }) => {
    const owner = { id: 1n, firstName: 'Maria', lastName: 'Alvarez' } as Person
    const deal = { dealname: 'Lopez, Ana', zipCode: '85007', hasBattery: true, totalPpw: 3.5, owner }
    const { ana } = await makeTeam(system, [deal])
    const headers = { cookie: await cookieOf(system, ana) }
    const { text } = await ask(system, 'GET /deals?columns=owner,zipCode,hasBattery,totalPpw', { headers })
    for (const value of ['Lopez, Ana', 'Maria Alvarez', '85007', 'Yes', '$3.50'])
      expect(text).toContain(`>${value}<`)
  })

  test('scrolls to the last deal without repeats, and works by keyboard alone', async ({ page, system }) => {
    const { ana } = await makeTeam(
      system,
      Array.from({ length: 230 }, (_, index) => ({ dealname: `Deal ${index + 1}`, stage: 'Design' })),
    )
    await enter(page, ana)
    await test.step('The table scrolls to the last deal without repeats, and returns to the same position', async () => {
      await expect(table(page)).toHaveAttribute('aria-rowcount', '231')
      await expect(rows(page).first()).toHaveAttribute('aria-rowindex', '2')
      expect(await rows(page).count()).toBeLessThan(60)
      const scroller = table(page).locator('..')
      const seen = new Map<string, string>()
      await expect(async () => {
        await scroller.evaluate((element) => element.scrollBy(0, 400))
        for (const row of await rows(page).evaluateAll((all) =>
          all.map(
            (each) => [each.getAttribute('aria-rowindex')!, each.querySelector('a')!.textContent!] as const,
          ),
        )) {
          expect(seen.get(row[0]) ?? row[1]).toBe(row[1])
          seen.set(...row)
        }
        expect(seen.size).toBe(230)
      }).toPass({ intervals: [20], timeout: 40_000 })
      expect(new Set(seen.values()).size).toBe(230)
      // The column headers stay visible.
      await expect(table(page).getByRole('columnheader', { name: 'Stage', exact: true })).toBeInViewport()
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      await expect(rows(page).getByText('Deal 230', { exact: true })).toBeInViewport()
      const link = rows(page).getByRole('link', { name: 'Deal 228', exact: true })
      await expect(link).toHaveAttribute('href', /^\/deals\/\d+$/)
      await link.click()
      await expect(page).toHaveURL(/\/deals\/\d+$/)
      await page.goBack()
      await expect(rows(page).getByRole('link', { name: 'Deal 228', exact: true })).toBeInViewport()
    })
    await test.step('The keyboard alone reaches any deal', async () => {
      await page.reload()
      await ready(page)
      const focused = () => page.evaluate(() => document.activeElement!.textContent)
      await expect(rows(page).first()).toBeVisible()
      await page.keyboard.press('ArrowDown')
      await expect.poll(focused).toBe('Deal 1')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await expect.poll(focused).toBe('Deal 3')
      await page.keyboard.press('ArrowUp')
      await expect.poll(focused).toBe('Deal 2')
      await page.keyboard.press('End')
      await expect.poll(focused).toBe('Deal 50')
      await expect(rows(page).getByRole('link', { name: 'Deal 50', exact: true })).toBeInViewport()
      await page.keyboard.press('PageUp')
      await expect.poll(async () => Number((await focused())!.slice(5))).toBeLessThan(45)
      await page.keyboard.press('Home')
      await expect.poll(focused).toBe('Deal 1')
      // Only one row is in the tab order.
      expect(await rows(page).locator('a[tabindex="0"]').count()).toBe(1)
      await page.keyboard.press('Escape')
      await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(true)
      await page.keyboard.press('/')
      await page.keyboard.type('deal 229')
      await expect(rows(page)).toHaveCount(1)
      await page.keyboard.press('ArrowDown')
      await expect.poll(focused).toBe('Deal 229')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/deals\/\d+$/)
    })
  })
})

test.describe('saved views', () => {
  test('are shared with the team, opened by URL, changed, renamed and deleted', async ({
    page,
    browser,
    system,
  }) => {
    const { ana, ben } = await makeTeam(system, few)
    await enter(page, ana, '/deals?stage=Permit+Submitted&sort=-amount')
    const other = await asColleague(browser, system, ben)
    const query = 'q=reno&lacks=permitReceived&sort=dealname&columns=city,amount&density=compact'
    const address = `/deals?${query}`
    await test.step('A view is saved for the team, opened by a colleague, changed, renamed and deleted', async () => {
      const open = async (of: Page) => {
        await of.getByRole('button', { name: /^(?:Views|Waiting|Mine)/ }).click()
        return of.getByRole('dialog', { name: 'Views' })
      }
      const save = async (name: string, isShared: boolean) => {
        const menu = await open(page)
        await menu.getByLabel('Save current view').fill(name)
        await menu.getByLabel('Share with team').setChecked(isShared)
        await menu.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(page.getByText(`“${name}” saved`)).toBeVisible()
      }
      await save('Mine', false)
      await save('Waiting', true)
      await expect(page.getByRole('button', { name: 'Waiting' })).toBeVisible()

      const menu = await open(other)
      const saved = menu.getByRole('list', { name: 'Views', exact: true })
      await expect(saved.getByRole('link')).toHaveText([/Waiting.*Team · ana/])
      await saved.getByRole('link', { name: 'Waiting' }).click()
      await expect(rows(other)).toHaveCount(2)
      await expect(rows(other).first()).toContainText('Walker')
      await expect(other.getByRole('button', { name: 'Waiting', exact: true })).toBeVisible()
      await other.getByRole('button', { name: 'Remove Stage: Permit Submitted' }).click()
      await expect(other.getByRole('button', { name: 'Waiting · edited' })).toBeVisible()
      await other.getByRole('button', { name: 'Waiting · edited' }).click()
      await expect(menu.getByRole('button', { name: 'Save changes' })).toHaveCount(0)
      await menu.getByRole('button', { name: 'Reset to' }).click()
      await expect(rows(other)).toHaveCount(2)

      await search(page).fill('lopez')
      await expect(page.getByRole('button', { name: 'Waiting · edited' })).toBeVisible()
      await (await open(page)).getByRole('button', { name: 'Save changes' }).click()
      await expect(page.getByRole('button', { name: 'Waiting', exact: true })).toBeVisible()
      const mine = await open(page)
      await mine.getByRole('button', { name: 'Rename Mine' }).click()
      await mine.getByLabel('View name').fill('Mine too')
      await page.keyboard.press('Enter')
      await expect(mine.getByRole('link', { name: 'Mine too' })).toBeVisible()
      await mine.getByRole('button', { name: 'Delete Mine too' }).click()
      await expect(mine.getByRole('list', { name: 'Views', exact: true }).getByRole('link')).toHaveCount(1)
    })
    await test.step('A URL shows a colleague the same list', async () => {
      await page.goto(address)
      await expect(rows(page)).toHaveCount(2)
      await other.goto(address)
      await expect(rows(other)).toHaveCount(2)
      expect(await rows(other).allInnerTexts()).toEqual(await rows(page).allInnerTexts())
      await expect(other).toHaveURL(address)
    })
    await test.step('An export contains the displayed deals and columns', async () => {
      const menu = await openMenu(page, 'Export')
      await expect(menu.getByRole('link', { name: 'All columns' })).toHaveAttribute(
        'href',
        `/deals/export?${query}&all=1`,
      )
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        menu.getByRole('link', { name: 'Columns shown' }).click(),
      ])
      expect(download.url()).toBe(`${system.url}/deals/export?${query}`)
    })
    await other.context().close()
  })
})

test.describe('the deals page', () => {
  test("shows all partners' deals to the installer's staff", async ({ page, system }) => {
    const { partner } = await makeUser(system, {
      deals: [{ dealname: 'Ours, Olga', stage: 'Permit', lastModified: ago(0) }],
    })
    const name = `Solar ${partner.slug}`
    await system.db.$client`update partners set name = ${name} where id = ${partner.id}`
    await enter(page, await makeUser(system, { role: 'operator' }))
    await expect(rows(page).getByRole('link', { name: 'Ours, Olga' }).first()).toBeVisible()
    await expect(total(page)).toHaveText(/^(?:[2-9]|\d{2,}),\d{3} deals · /)
    const row = rows(page).filter({ hasText: 'Ours, Olga' }).first()
    await expect(row).toContainText(name)
    const partners = await openMenu(page, 'Partner')
    await partners.getByRole('combobox').fill(name)
    await partners.getByRole('option', { name }).first().click()
    await expect(page.getByRole('button', { name: `Remove Partner: ${name}` })).toBeVisible()
    await page.getByRole('link', { name: 'Ours, Olga' }).first().click()
    await expect(page.getByRole('article')).toContainText(name)
  })
})

test.describe('with a slow or lost network', () => {
  test('rows stay visible, match the last search, and reload', async ({ page, context, system }) => {
    const { ana } = await makeTeam(system, few)
    // Every step uses another search, because earlier results are cached.
    await test.step('Deals that failed to load are loaded again on request', async () => {
      await system.db.$client`alter table deals rename to deals_gone`
      try {
        await enter(page, ana, '/deals?columns=milestone,createDate,stage')
        await expect(page.getByText('Could not load deals')).toBeVisible({ timeout: 20_000 })
      } finally {
        await system.db.$client`alter table deals_gone rename to deals`
      }
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(rows(page)).toHaveCount(4)
    })
    await test.step('The page shows the last search, even if earlier responses arrive later', async () => {
      await page.route(/deals\.find.*garcia/, async (route) => {
        await page.waitForResponse(/deals\.find.*lopez/)
        await route.continue().catch(() => {})
      })
      await search(page).fill('garcia')
      await expect(page.getByRole('table')).toBeVisible()
      await search(page).fill('lopez')
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page)).toContainText('Lopez, Ana')
    })
    await page.unrouteAll({ behavior: 'wait' })
    await search(page).fill('')
    await expect(rows(page)).toHaveCount(4)

    await test.step('The previous rows stay unchanged until new rows arrive', async () => {
      const texts = await rows(page).allInnerTexts()
      expect(texts.join()).toMatch(/Permit|–/)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route(/deals\.find/, async (route) => {
        await released
        await route.continue()
      })
      await search(page).fill('walker')
      await expect(page.getByRole('rowgroup').last()).toHaveAttribute('aria-busy', 'true')
      expect(await rows(page).allInnerTexts()).toEqual(texts)
      release()
      await expect(rows(page)).toHaveCount(1)
      await expect(page.getByRole('rowgroup').last()).toHaveAttribute('aria-busy', 'false')
      expect(texts).toContain(await rows(page).innerText())
    })
    await page.unrouteAll({ behavior: 'wait' })
    await search(page).fill('')
    await expect(rows(page)).toHaveCount(4)

    await test.step('An offline browser shows a banner, keeps the rows, and recovers', async () => {
      const texts = await rows(page).allInnerTexts()
      await context.setOffline(true)
      await expect(page.getByText('Offline.')).toBeVisible({ timeout: 2000 })
      await search(page).fill('vale')
      await expect(page.getByRole('rowgroup').last()).toHaveAttribute('aria-busy', 'true')
      expect(await rows(page).allInnerTexts()).toEqual(texts)
      await context.setOffline(false)
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page)).toContainText('Vale, Robin')
      await expect(page.getByText('Offline.')).toHaveCount(0)
    })
    await page.unrouteAll({ behavior: 'wait' })
    await search(page).fill('')
    await expect(rows(page)).toHaveCount(4)

    await test.step('A failed search shows no stale total, and is retried', async () => {
      await expect(page.getByText('4 deals')).toBeVisible()
      await page.route(/deals\.(?:find|count)|icons\/192/, (route) => route.abort())
      await search(page).fill('tucson')
      await expect(page.getByText('Could not load deals')).toBeVisible({ timeout: 20_000 })
      await expect(page.getByText('4 deals')).toHaveCount(0)
      await page.unrouteAll()
      await expect(rows(page)).toHaveCount(1, { timeout: 20_000 })
      await expect(page.getByText('1 deal ·')).toBeVisible()
    })
  })
})

test('a printout includes all matching deals and the search, without buttons', async ({ page, system }) => {
  const { ana } = await makeTeam(
    system,
    Array.from({ length: 120 }, (_, index) => ({ dealname: `Garcia ${index}`, stage: 'Site Survey' })),
  )
  await enter(page, ana, '/deals?q=garcia&stage=Site+Survey')
  await expect(page.getByText('120 deals')).toBeVisible()
  expect(await rows(page).count()).toBeLessThan(60)
  const printed = await page.evaluateHandle(() => {
    const called = Promise.withResolvers<void>()
    window.print = called.resolve
    return called
  })
  const menu = await openMenu(page, 'Export')
  await menu.getByRole('button', { name: 'Print' }).click()
  await printed.evaluate(({ promise }) => promise)
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print' })
  await expect(rows(page)).toHaveCount(120)
  const { y: first } = (await rows(page).first().boundingBox())!
  expect((await rows(page).last().boundingBox())!.y - first).toBeGreaterThan(119 * 20)
  await expect(page.getByText('Search: garcia · Stage: Site Survey')).toBeVisible()
  for (const name of ['Export', /^Remove /, 'Clear all'])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await expect(page.getByText(/^The first/)).toHaveCount(0)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await expect.poll(() => rows(page).count()).toBeLessThan(60)
})

test('on a small screen, deals are cards and the filters open in a sheet', async ({ page, system }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const { ana } = await makeTeam(system, few)
  await enter(page, ana)
  const cards = page.getByRole('list', { name: 'Deals' }).getByRole('listitem')
  await expect(cards).toHaveCount(4)
  await expect(cards.first()).toContainText('Lopez, Ana')
  await expect(cards.first()).toContainText('$30,000')
  const sheet = await openMenu(page, 'Filters')
  await sheet.locator('summary', { hasText: 'Region' }).click()
  await sheet.getByRole('option', { name: 'AZ 2' }).click()
  await sheet.getByLabel('Sort by').selectOption('amount asc')
  await sheet.getByRole('button', { name: 'Show 2 deals' }).click()
  await expect(cards).toHaveCount(2)
  await expect(cards.first()).toContainText('Garcia')
  await search(page).fill('lopez')
  await expect(cards).toHaveCount(1)
  await cards.first().click()
  await expect(page).toHaveURL(/\/deals\/\d+$/)
})

test('the search field keeps every typed letter on a slow machine', async ({ page, system }) => {
  test.slow()
  const { ana } = await makeTeam(system, [{ dealname: 'Lopez, Ana' }, { dealname: 'Novak, Eva' }])
  await enter(page, ana)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 10 })
  const text = 'lopez 1208 west palm lane'
  await search(page).pressSequentially(text, { delay: 40 })
  await expect(search(page)).toHaveValue(text)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await expect(page).toHaveURL(new RegExp(`q=${text.replaceAll(' ', '\\+')}$`))
})
