import type { Page } from '@playwright/test'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { expect, test } from './fixtures.ts'
import { enter, hostileTexts, makeUser } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

const rowOf = (page: Page, stage: string) =>
  page.getByRole('table', { name: 'Stages' }).getByRole('row').filter({ hasText: stage })

/** Writes a deal in a new stage, whose name ends so. */
async function makeStage(system: RunningSystem, ending: string): Promise<string> {
  const stage = `${crypto.randomUUID().slice(0, 8)} ${ending}`
  await writeDeals(system.db, [{ record: { id: newIds(1)[0]!, stage }, partnerId: null }], {
    now: new Date(),
    events: false,
  })
  return stage
}

test('an operator corrects a stage; its badge, the board and the audit log follow', async ({
  page,
  system,
}) => {
  const stage = await makeStage(system, 'Cancelled')
  await enter(page, await makeUser(system, { role: 'operator' }), '/stages')
  await expect(rowOf(page, stage)).toContainText('Lost')
  await rowOf(page, stage)
    .getByRole('button', { name: `Edit ${stage}` })
    .click()
  const dialog = page.getByRole('dialog', { name: `Edit ${stage}` })
  await expect(dialog.getByLabel('Kind')).toHaveValue('lost')
  await dialog.getByLabel('Order').fill('first')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Order')).toHaveAccessibleDescription(/^Enter a whole number/)
  await dialog.getByLabel('Order').fill('7')
  await dialog.getByLabel('Kind').selectOption('On hold')
  await dialog.getByLabel('Color').selectOption('Violet')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(rowOf(page, stage)).toContainText('On hold')
  await expect(rowOf(page, stage)).toContainText('7')
  await expect(rowOf(page, stage).getByText(stage, { exact: true }).first()).toHaveClass(/text-violet/)
  await page.goto(`/deals?stage=${encodeURIComponent(stage)}`)
  await expect(page.locator('#content').getByText(stage, { exact: true }).last()).toHaveClass(/text-violet/)
  await page.goto('/audit')
  await expect(page.getByText(`${stage} (on-hold, order 7, violet)`)).toBeVisible()
})

test('a stage of any name is shown as text', async ({ page, system }) => {
  const stage = await makeStage(system, hostileTexts[0]!.slice(0, 100))
  await enter(page, await makeUser(system, { role: 'operator' }), '/stages')
  await expect(rowOf(page, stage)).toHaveCount(1)
})

test('partners have no access to the Stages page', async ({ page, system }) => {
  await enter(page, await makeUser(system, { role: 'admin' }), '/stages')
  await expect(page.getByRole('table')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Stages' })).toHaveCount(0)
})
