import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

/** Creates a partner with deals A to D (A changed last) and a team of two. Opens the list as Ana. */
async function openList(page: Page, system: RunningSystem, path = '/deals') {
  const deals = ['A', 'B', 'C', 'D'].map((name, index) => ({
    dealname: `Deal ${name}`,
    stage: 'Permit Submitted',
    amount: 1000 * (index + 1),
    closerName: 'Nia Lopez',
    hasOutstandingItems: name === 'A',
    lastModified: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
  }))
  const { ids, ...ana } = await makeUser(system, { name: 'Ana', deals })
  await makeUser(system, { name: 'Ben', partner: ana.partner })
  await enter(page, ana, path)
  await expect(row(page, 'A')).toBeVisible()
  return { ids: ids.map(String) }
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: `Deal ${name}` })
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected deals' })
const chosen = (page: Page) => page.getByRole('row', { selected: true })

test('selected deals can be copied, exported and followed together, and previewed beside the list', async ({
  page,
  system,
}) => {
  const { ids } = await openList(page, system)
  await test.step('Closing the panel beside the list returns focus to the row', async () => {
    const link = row(page, 'B').getByRole('link')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Clear selection' }).press('Enter'),
    ]) {
      await page.keyboard.press('x')
      await expect(bar(page)).toBeVisible()
      await page.keyboard.press('Tab')
      await expect(bar(page).getByRole('button', { name: 'Copy' })).toBeFocused()
      await close()
      await expect(bar(page)).toBeHidden()
      await expect(link).toBeFocused()
    }
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter')
    await expect(page.getByRole('complementary', { name: 'Deal B' })).toBeHidden()
    await expect(link).toBeFocused()
  })
  await test.step('Rows are selected by keyboard or mouse, copied, and exported on their own', async () => {
    await page.keyboard.press('Home')
    await page.keyboard.press('x')
    await expect(bar(page)).toContainText('1 selected')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await expect(chosen(page)).toHaveCount(2)
    await page.keyboard.press('Escape')
    await expect(bar(page)).toBeHidden()
    await row(page, 'D').hover()
    await page.getByRole('checkbox', { name: 'Select Deal D' }).click()
    await row(page, 'B')
      .getByRole('link')
      .click({ modifiers: ['Shift'] })
    await expect(bar(page)).toContainText('3 selected')
    await page.getByRole('checkbox', { name: 'Select Deal C' }).click()
    await expect(chosen(page)).toHaveCount(2)

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await bar(page).getByRole('button', { name: 'Copy' }).click()
    await expect(page.getByText('2 rows copied.')).toBeVisible()
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n')
    expect(copied.map((line) => line.split('\t')[0])).toEqual(['Deal', 'Deal B', 'Deal D'])
    expect(copied[1]).toContain('\tPermit Submitted\t')

    const downloading = page.waitForEvent('download')
    await bar(page).getByRole('link', { name: 'Export' }).click()
    const csv = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
    expect(csv.slice(1).map((line) => line.split(',').at(-1))).toEqual([ids[1], ids[3]])
  })
  await bar(page).getByRole('button', { name: 'Clear selection' }).press('Enter')
  await expect(bar(page)).toBeHidden()

  await test.step('A deal preview beside the list follows the arrow keys, and Back closes it', async () => {
    await page.keyboard.press('Home')
    await page.keyboard.press('Space')
    const peek = (name: string) => page.getByRole('complementary', { name: `Deal ${name}` })
    // Beside a preview, the name keeps its space, and columns that the preview repeats are hidden.
    await expect(page.getByRole('columnheader')).toHaveText(['Deal', 'Stage', 'In stage', 'Amount'])
    const { width } = (await page.getByRole('columnheader', { name: 'Deal' }).boundingBox())!
    expect(width).toBeGreaterThan(350)
    await expect(peek('A')).toContainText('Waiting for permit')
    await expect(peek('A')).toContainText('Outstanding items')
    await expect(peek('A')).toContainText('Nia Lopez')
    await expect(page).toHaveURL(new RegExp(`[?&]peek=${ids[0]}$`))
    await page.keyboard.press('j')
    await expect(peek('B')).toBeVisible()
    await page.keyboard.press('ArrowUp')
    await expect(peek('A')).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('complementary')).toHaveCount(0)
    await row(page, 'B').hover()
    await page.getByRole('button', { name: 'Peek at Deal B' }).click()
    await expect(peek('B')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('complementary')).toHaveCount(0)
    await page.keyboard.press('ArrowDown')
    // Press Enter before the URL contains the previewed deal.
    await Promise.all([page.keyboard.press('Space'), page.keyboard.press('Enter')])
    await expect(page.getByRole('heading', { name: 'Deal C', level: 1 })).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`/deals/${ids[2]}$`))
  })
  await page.goBack()

  await test.step('Several deals are followed together', async () => {
    await row(page, 'A').hover()
    await page.getByRole('checkbox', { name: 'Select Deal A' }).click()
    await row(page, 'B')
      .getByRole('link')
      .click({ modifiers: ['Shift'] })
    await bar(page).getByRole('button', { name: 'Follow', exact: true }).click()
    await expect(page.getByText('Following 2 deals.')).toBeVisible()
    await page.goto(`/deals/${ids[1]}`)
    await expect(page.getByRole('button', { name: 'Following' })).toBeVisible()
  })
})

test('deals are assigned to a colleague, found by the assignee filter, and unassigned', async ({
  page,
  system,
}) => {
  await openList(page, system, '/deals?columns=assignee,stage')
  await row(page, 'A').hover()
  await page.getByRole('checkbox', { name: 'Select Deal A' }).click()
  await row(page, 'B')
    .getByRole('link')
    .click({ modifiers: ['Shift'] })
  await bar(page).getByRole('button', { name: 'Assign' }).click()
  await page.getByRole('option', { name: /^Ben/ }).click()
  await expect(page.getByText('2 deals assigned to Ben.')).toBeVisible()
  await expect(row(page, 'A').getByRole('cell', { name: 'Ben' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('cell', { name: 'Ben' })).toHaveCount(0)

  await row(page, 'C').getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Deal C', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Assign', exact: true }).click()
  await page.getByRole('option', { name: /^Ana \(you\)/ }).click()
  await expect(page.getByText('Deal assigned to you.')).toBeVisible()
  await expect(page.getByText('Assigned to: Ana')).toBeVisible()
  await page.goto('/deals')
  await page.getByRole('button', { name: 'Assigned to' }).click()
  await page.getByRole('option', { name: 'Me', exact: true }).click()
  await page.keyboard.press('Escape')
  await expect(row(page, 'C')).toBeVisible()
  await expect(row(page, 'A')).toBeHidden()
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Me')
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 800 }, hasTouch: true })

  test('cards are selected by tapping', async ({ page, system }) => {
    const deals = ['A', 'B', 'C'].map((name) => ({ dealname: `Deal ${name}` }))
    await enter(page, await makeUser(system, { deals }), '/deals')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await expect(bar(page)).toContainText('Tap deals to select them')
    await page.getByRole('link', { name: 'Deal A' }).click()
    await page.getByRole('link', { name: 'Deal C' }).click()
    await expect(bar(page)).toContainText('2 selected')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('link', { name: 'Deal A' }).click()
    await expect(page.getByRole('heading', { name: 'Deal A', level: 1 })).toBeVisible()
  })
})
