import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { act, enter, makeUser, violations } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

/** Creates a partner with two deals and signs a user in on the page. */
async function enterAs(page: Page, system: RunningSystem, role: 'admin' | 'member', path: string) {
  const deals = ['Permit Submitted', 'Install Scheduled'].map((stage) => ({
    dealname: `Lopez, Ana - ${stage}`,
    stage,
    zipCode: '02134',
    amount: 1200.5,
  }))
  const user = await makeUser(system, { role, deals })
  await enter(page, user, path)
  return user.ids
}

const dialog = (page: Page) => page.getByRole('dialog', { name: /sheet|Permits/i })
const rows = (page: Page, table = 'Active tokens') =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })

async function openSheetDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Use in a sheet' }).click()
}

test('an admin links a view to a sheet, rotates the link and revokes it', async ({ page, system }) => {
  const [permit] = await enterAs(
    page,
    system,
    'admin',
    '/deals?stage=Permit+Submitted&columns=dealname,zipCode,amount,milestone',
  )
  await openSheetDialog(page)
  await expect(dialog(page)).toContainText('later changes to the view do not change it')
  expect(await violations(page)).toEqual([])
  await dialog(page).getByLabel('Name').fill('Permits')
  await dialog(page).getByRole('button', { name: 'Create sheet link' }).click()
  await expect(dialog(page)).toContainText('Sheet link created')
  const formula = await dialog(page).getByRole('region', { name: 'Formula' }).innerText()
  const [, url] = /^=IMPORTDATA\("(.*)"\)$/.exec(formula.trim())!
  const read = (address = url!) => page.request.get(address.replace(/^https?:\/\/[^/]+/, system.url))
  expect(await (await read()).text()).toBe(
    '"Deal","ZIP code","Amount","Next step","Next step day","Deal ID"\r\n' +
      `"Lopez, Ana - Permit Submitted","02134",1200.5,"Permit",,"${permit}"\r\n`,
  )
  await expect(dialog(page).getByRole('region', { name: 'Query' })).toContainText('{"ZIP code", type text}')
  await expect(dialog(page).getByRole('region', { name: 'Address' })).toHaveText(url!)
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog(page).getByRole('alert')).toContainText('Copy the text first')
  await dialog(page).getByRole('button', { name: 'Done' }).click()

  await page.goto('/tokens')
  const link = rows(page).filter({ hasText: 'Permits' })
  await expect(link).toContainText(/Permits\s*pd_\w{6}…\s*Sheet link\s*Created/)
  await act(link, 'Rotate Permits')
  await dialog(page).getByLabel('Old sheet link expires').selectOption('now')
  await dialog(page).getByRole('button', { name: 'Rotate sheet link' }).click()
  const next = await dialog(page).getByRole('region', { name: 'Address' }).innerText()
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  expect([(await read()).status(), (await read(next.trim())).status()]).toEqual([404, 200])

  await act(rows(page).filter({ hasText: 'Permits' }), 'Revoke Permits')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText('“Permits” revoked.')).toBeVisible()
  expect((await read(next.trim())).status()).toBe(404)
})

test('a view of the user’s own deals cannot become a sheet, and members cannot create sheets', async ({
  page,
  system,
}) => {
  await enterAs(page, system, 'admin', '/deals?is=mine')
  await openSheetDialog(page)
  await dialog(page).getByRole('button', { name: 'Create sheet link' }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('A sheet shows everyone the same deals')

  await page.context().clearCookies()
  await enterAs(page, system, 'member', '/deals')
  await page.getByRole('button', { name: 'Export' }).click()
  await expect(page.getByText('Columns shown')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Use in a sheet' })).toHaveCount(0)
})
