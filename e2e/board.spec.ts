import type { Page } from '@playwright/test'
import type { DealRecord } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, ready } from './portal-user.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Deals in three stages. Deals in later stages have more completed steps. */
const few: Partial<DealRecord>[] = [
  {
    dealname: 'Garcia, Ana',
    stage: 'Site Survey',
    city: 'Phoenix',
    state: 'AZ',
    amount: 20000,
    timeInCurrentStage: daysAgo(4),
  },
  {
    dealname: 'Lopez, Luis',
    stage: 'Site Survey',
    city: 'Mesa',
    state: 'AZ',
    amount: 30000.4,
    timeInCurrentStage: daysAgo(9),
    hasOutstandingItems: true,
  },
  {
    dealname: 'Ito, Emi',
    stage: 'Install Scheduled',
    city: 'Reno',
    state: 'NV',
    amount: 45000,
    timeInCurrentStage: daysAgo(1),
    siteSurveyCompleted: daysAgo(30),
    cadCompleted: daysAgo(20),
    permitReceived: daysAgo(2),
  },
  { dealname: 'Novak, Eva', timeInCurrentStage: null },
]

const column = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Stages' })
    .locator('> li')
    .filter({ has: page.getByRole('heading', { name }) })
const total = (page: Page) =>
  page.getByRole('heading', { name: 'Deals', level: 1 }).locator('..').getByRole('status')
const cards = (page: Page, stage: string) =>
  page.getByRole('list', { name: `Deals in ${stage}` }).getByRole('listitem')

test('the board shows the deals of each stage, applies searches and filters, and opens a deal', async ({
  page,
  system,
}) => {
  const member = await makeUser(system, { deals: few })
  await enter(page, member, '/deals/board?stage=Site%20Survey&amount=25000..')
  await test.step('The board applies the filters in the URL, which can be removed', async () => {
    await expect(page.getByRole('list', { name: 'Stages' }).getByRole('heading', { level: 2 })).toHaveCount(1)
    await expect(cards(page, 'Site Survey')).toHaveText([/Lopez/])
    await page.getByRole('button', { name: 'Remove Amount' }).click()
    await expect(cards(page, 'Site Survey')).toHaveCount(2)
  })
  await page.getByRole('button', { name: 'Remove Stage: Site Survey' }).click()
  await expect(page).toHaveURL('/deals/board')
  await test.step('The board has a column for each stage, with count and total, longest waiting first', async () => {
    await expect(total(page)).toHaveText('4 deals · $95,000 · 1 without an amount')
    const heads = page.getByRole('list', { name: 'Stages' }).getByRole('heading', { level: 2 })
    await expect(heads).toHaveCount(3)
    expect((await heads.allInnerTexts()).map((text) => text.split(/[:\n]/)[0])).toContain('No stage')
    expect((await heads.allInnerTexts()).findIndex((text) => text.startsWith('Site Survey'))).toBeLessThan(
      (await heads.allInnerTexts()).findIndex((text) => text.startsWith('Install Scheduled')),
    )
    await expect(column(page, 'Site Survey')).toContainText('$50,000')
    await expect(cards(page, 'Site Survey')).toHaveText([
      /Lopez, Luis.*Mesa, AZ.*\$30,000.*9 days/s,
      /Garcia, Ana.*Phoenix, AZ.*\$20,000.*4 days/s,
    ])
    await expect(cards(page, 'Site Survey').first().getByLabel('Outstanding items')).toBeVisible()
    await expect(cards(page, 'Site Survey').last().getByLabel('Outstanding items')).toHaveCount(0)
    await expect(cards(page, 'Site Survey').first()).toContainText(
      'Waiting on: Site survey · Project manager',
    )
    await expect(cards(page, 'No stage')).toHaveText([/Novak, Eva.*No city.*No amount/s])
  })
  await test.step('Typing in the search narrows the columns and updates the URL', async () => {
    await ready(page)
    await page.keyboard.press('/')
    await page.keyboard.type('lopez')
    await expect(page.getByRole('list', { name: 'Stages' }).getByRole('heading', { level: 2 })).toHaveCount(1)
    await expect(cards(page, 'Site Survey')).toHaveText([/Lopez/])
    await expect(page).toHaveURL('/deals/board?q=lopez')
    await page.reload()
    await expect(cards(page, 'Site Survey')).toHaveText([/Lopez/])
    await page.getByLabel('Search deals').fill('nobody')
    await expect(page.getByRole('heading', { name: 'No matching deals' })).toBeVisible()
    await page.getByRole('button', { name: 'Show all deals' }).click()
    await expect(page.getByRole('list', { name: 'Stages' }).getByRole('heading', { level: 2 })).toHaveCount(3)
  })
  await test.step('A deal can be opened by keyboard alone', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('ito')
    await expect(page.getByRole('list', { name: 'Stages' }).getByRole('heading', { level: 2 })).toHaveCount(1)
    await expect(cards(page, 'Install Scheduled')).toHaveCount(1)
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('link', { name: 'Ito, Emi' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/deals/${member.ids[2]}`)
  })
})

test('the list and the board share filters and views, and a view opens by its id alone', async ({
  page,
  system,
}) => {
  await enter(page, await makeUser(system, { deals: few }), '/deals/board?state=AZ')
  await test.step('A column heading opens its deals as a list with the same filters', async () => {
    await page.getByRole('link', { name: 'Site Survey: 2 deals' }).click()
    await expect(page).toHaveURL(/\/deals\?stage=Site(?:\+|%20)Survey&state=AZ/)
    await expect(page.getByRole('link', { name: 'Lopez, Luis' }).first()).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'Remove Region: AZ' }).click()
    await page.getByRole('link', { name: 'No stage: 1 deal' }).click()
    await expect(page.getByRole('link', { name: 'Novak, Eva' }).first()).toBeVisible()
    await expect(page.getByRole('link', { name: 'Lopez, Luis' })).toHaveCount(0)
  })
  await page.goto('/deals/board?state=AZ')

  await test.step('Recently typed search text is passed on to the list', async () => {
    await ready(page)
    await page.getByRole('textbox', { name: 'Search deals' }).evaluate(async (input: HTMLInputElement) => {
      const links = document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Views of deals"] a')
      input.setRangeText('garcia')
      input.dispatchEvent(new Event('input', { bubbles: true }))
      // Click before the search text is in the page's URL.
      await Promise.resolve()
      ;[...links].find(({ textContent }) => textContent === 'List')!.click()
    })
    await expect(page).toHaveURL('/deals?state=AZ&q=garcia')
    await expect(page.getByRole('textbox', { name: 'Search deals' })).toHaveValue('garcia')
  })
  await page.getByRole('textbox', { name: 'Search deals' }).fill('')
  await expect(page).toHaveURL('/deals?state=AZ')

  await test.step('Links between list and board keep filters and views, and a view opens by its id alone', async () => {
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Views of deals' }).getByRole('link', { name })
    await tab('Board').click()
    await expect(page).toHaveURL('/deals/board?state=AZ')
    await expect(page.getByRole('button', { name: 'Remove Region: AZ' })).toBeVisible()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Save current view').fill('Arizona')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Arizona' })).toBeVisible()
    await page.getByRole('textbox', { name: 'Search deals' }).fill('garcia')
    await tab('List').click()
    await expect(page).toHaveURL(/\/deals\?state=AZ&view=\d+&q=garcia$/)
    await expect(page.getByRole('button', { name: 'Arizona · edited' })).toBeVisible()
    const id = new URL(page.url()).searchParams.get('view')
    for (const path of ['/deals', '/deals/board']) {
      await page.goto(`${path}?open=1`)
      await expect(page).toHaveURL(`${path}?is=open`)
      await page.goto(`${path}?view=${id}`)
      await expect(page).toHaveURL(`${path}?state=AZ&view=${id}`)
      await expect(page.getByRole('button', { name: 'Arizona', exact: true })).toBeVisible()
      await expect(total(page)).toHaveText(/^2 deals/)
      await ready(page)
      await page.getByRole('button', { name: 'Remove Region: AZ' }).click()
      await expect(page).toHaveURL(path)
    }
  })
})

test('a card shows delays, and regains focus when its deal is closed', async ({ page, system }) => {
  const late = { permitSubmitted: daysAgo(30), expectedPermitDeliveryDate: daysAgo(12) }
  await enter(
    page,
    await makeUser(system, { deals: [...few, { ...few[1]!, dealname: 'Late, Lea', ...late }] }),
    '/deals/board',
  )
  const card = cards(page, 'Site Survey').filter({ hasText: 'Late, Lea' })
  await expect(card).toContainText(/Permit 1[23] days late/)
  await expect(cards(page, 'Site Survey').filter({ hasText: 'Garcia' })).not.toContainText('late')
  await card.getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Late, Lea')
  await page.getByRole('link', { name: 'Back to deals' }).click()
  await expect(page).toHaveURL('/deals/board')
  await expect(card.getByRole('link')).toBeFocused()
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').getByRole('combobox').fill('late, lea')
  await expect(page.getByRole('option').filter({ hasText: 'Late, Lea' })).toContainText(
    /Permit 1[23] days late/,
  )
})

test('columns and cards are loaded when scrolled into view or on request', async ({ page, system }) => {
  const inOneStage = Array.from({ length: 45 }, (_, index) => ({
    dealname: `Deal no. ${index}`,
    stage: 'Engineering',
    timeInCurrentStage: daysAgo(45 - index),
  }))
  const inMany = Array.from({ length: 24 }, (_, index) => ({
    dealname: `Deal ${index}`,
    stage: `Stage ${String(index).padStart(2, '0')}`,
  }))
  await enter(page, await makeUser(system, { deals: [...inOneStage, ...inMany] }), '/deals/board')
  await test.step('Columns outside the window are loaded when scrolled into view', async () => {
    await expect(page.getByRole('link', { name: 'Deal 0', exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Deal 23', exact: true })).toHaveCount(0)
    await page.getByRole('link', { name: 'Stage 23' }).focus()
    await expect(page.getByRole('link', { name: 'Deal 23', exact: true })).toBeInViewport()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  })
  await test.step('A column shows twenty cards, and loads more on request', async () => {
    await page.getByRole('link', { name: 'Engineering: 45 deals' }).focus()
    await expect(cards(page, 'Engineering')).toHaveCount(20)
    const more = page.getByRole('button', { name: 'Show more in Engineering' })
    await more.click()
    await expect(cards(page, 'Engineering')).toHaveCount(40)
    await more.click()
    await expect(cards(page, 'Engineering')).toHaveCount(45)
    await expect(more).toHaveCount(0)
    expect(await cards(page, 'Engineering').getByRole('link').allInnerTexts()).toEqual(
      Array.from({ length: 45 }, (_, index) => `Deal no. ${index}`),
    )
  })
})
