import type { Locator, Page } from '@playwright/test'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { expect, test } from './fixtures.ts'
import { enter, loaded, makeUser } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

const rowOf = (page: Page, stage: string) =>
  page.getByRole('table', { name: 'Stages' }).getByRole('row').filter({ hasText: stage })

/** Creates a deal in a new stage whose name ends with `ending`. */
async function makeStage(system: RunningSystem, ending: string): Promise<string> {
  const stage = `${crypto.randomUUID().slice(0, 8)} ${ending}`
  await writeStage(system, newIds(1)[0]!, stage)
  return stage
}

const writeStage = ({ db }: RunningSystem, id: bigint, stage: string) =>
  writeDeals(db, [{ record: { id, stage }, partnerId: null }], { now: new Date(), events: false })

test('an operator corrects a stage; its badge, the board and the audit log change accordingly', async ({
  page,
  system,
}) => {
  const stage = await makeStage(system, 'Cancelled')
  await enter(page, await makeUser(system, { role: 'operator' }), '/stages')
  await expect(rowOf(page, stage)).toContainText('Lost')
  await rowOf(page, stage)
    .getByRole('button', { name: `Actions for ${stage}` })
    .click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: `Edit ${stage}` })
  await expect(dialog.getByLabel('Kind')).toHaveValue('lost')
  await dialog.getByLabel('Kind').selectOption('On hold')
  await dialog.getByLabel('Color').selectOption('Violet')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(rowOf(page, stage)).toContainText('On hold')
  await expect(rowOf(page, stage).getByText(stage, { exact: true }).first()).toHaveClass(/text-violet/)
  await page.goto(`/deals?stage=${encodeURIComponent(stage)}`)
  await expect(page.locator('#content').getByText(stage, { exact: true }).last()).toHaveClass(/text-violet/)
  await page.goto('/audit')
  await expect(page.getByText(new RegExp(`${stage} \\(on-hold, order \\d+, violet\\)`))).toBeVisible()
})

/** Creates three consecutive open stages. Returns their names and the common part of the names. */
async function makeCourse(system: RunningSystem, place: 'none' | null = 'none'): Promise<string[]> {
  const names: string[] = []
  for (const ending of ['Survey', 'Permit', 'Crane']) names.push(await makeStage(system, ending))
  // Put the stages after all others and without a place, so that concurrent tests insert nothing between
  // them.
  await system.db.$client`
    update stages set place = ${place}, "order" = ${place === null ? 800_000 : 900_000} + array_position(${names}::text[], name) * 10 + ${Date.now() % 90_000}
    where name = any(${names}::text[])`
  return names
}

/** Returns these stages in the order of the page. */
const shownOf = async (page: Page, names: string[]) => {
  const rows = await page.getByRole('table', { name: 'Stages' }).getByRole('rowheader').allInnerTexts()
  return rows.map((text) => text.trim()).filter((text) => names.includes(text))
}

/** Chooses an action in the menu of a stage. */
async function choose(page: Page, stage: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${stage}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Moves a stage behind another one. Returns the dialog, which stays open if the move is rejected. */
async function move(page: Page, stage: string, after: string): Promise<Locator> {
  await choose(page, stage, 'Move')
  const dialog = page.getByRole('dialog', { name: `Move ${stage}` })
  await dialog.getByLabel('After').selectOption(after)
  await dialog.getByRole('button', { name: 'Move' }).click()
  return dialog
}

const savedOf = async ({ db }: RunningSystem, names: string[]) =>
  (
    await db.$client<{ name: string }[]>`
    select name from stages where name = any(${names}::text[]) order by "order"`
  ).map(({ name }) => name)

test('an operator reorders stages and saves what each stage waits for', async ({ page, system }) => {
  const [survey, permit, crane] = (await makeCourse(system, null)) as [string, string, string]
  const moved = await makeCourse(system)
  await enter(page, await makeUser(system, { role: 'operator' }), '/stages')
  await test.step('The step that a stage waits for is suggested until chosen and saved', async () => {
    await expect(rowOf(page, survey)).toContainText('Proposed')
    await expect(rowOf(page, crane)).toContainText('Not set')
    await rowOf(page, survey)
      .getByRole('button', { name: `Confirm ${survey}` })
      .click()
    await expect(rowOf(page, survey)).not.toContainText('Proposed')
    const select = rowOf(page, crane).getByLabel(`What ${crane} waits for`)
    await select.selectOption('Install')
    await expect(rowOf(page, crane)).not.toContainText('Not set')
    await page.getByRole('button', { name: 'Confirm all proposals' }).click()
    await expect(rowOf(page, permit)).not.toContainText('Proposed')
    await page.reload()
    for (const stage of [survey, permit, crane])
      await expect(rowOf(page, stage)).not.toContainText('Proposed')
    await expect(select).toHaveValue('install')

    await page.route('**/api/trpc/stages.set*', (route) => route.abort())
    await select.selectOption('Payment')
    await expect(page.getByText(`${crane} was not saved.`)).toBeVisible()
    await expect(select).toHaveValue('install')
  })
  await page.unroute('**/api/trpc/stages.set*')

  await test.step('A move in a tab with an outdated order is rejected with an explanation', async () => {
    const [first, second, third] = moved as [string, string, string]
    // Reload first: otherwise, a pending refresh could show the new order.
    await page.reload()
    await expect(rowOf(page, first)).toBeVisible()
    await loaded(page)
    await system.db.$client`update stages set "order" = "order" + 15 where name = ${first}`
    const dialog = await move(page, third, first)
    await expect(dialog).toContainText('The order was changed elsewhere.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => shownOf(page, moved)).toEqual([second, first, third])
    expect(await savedOf(system, moved)).toEqual([second, first, third])
  })
  await test.step('A stage moves after another, and the order persists', async () => {
    const names = await shownOf(page, moved)
    const [first, second, third] = names as [string, string, string]
    await expect(await move(page, first, third)).toHaveCount(0)
    await expect.poll(() => shownOf(page, names)).toEqual([second, third, first])
    expect(await savedOf(system, names)).toEqual([second, third, first])
    await page.goto('/audit')
    await expect(page.getByText(`${first} (open, after ${third})`)).toBeVisible()
  })
})

test('an operator removes a stage without deals and merges another stage', async ({ page, system }) => {
  const [unused, former, stage] = ['Plan check', 'Permit Sent', 'Permit'].map(
    (ending) => `${crypto.randomUUID().slice(0, 8)} ${ending}`,
  ) as [string, string, string]
  // The deal leaves the first two stages.
  const id = newIds(1)[0]!
  for (const name of [unused, former, stage]) await writeStage(system, id, name)
  await enter(page, await makeUser(system, { role: 'operator' }), '/stages')
  await page.getByRole('button', { name: `Actions for ${stage}` }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Edit', 'Move'])
  await page.keyboard.press('Escape')

  await choose(page, unused, 'Remove')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove stage' }).click()
  await expect(rowOf(page, unused)).toHaveCount(0)
  await expect(page.getByText(`${unused} removed.`)).toBeVisible()

  await choose(page, former, 'Merge into another stage')
  const dialog = page.getByRole('dialog', { name: `Merge ${former}` })
  await expect(dialog.getByRole('button', { name: 'Merge' })).toBeDisabled()
  await dialog.getByLabel('Merge into').selectOption(stage)
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(rowOf(page, former)).toHaveCount(0)
  await page.goto('/audit')
  await expect(page.getByText(`${former} into ${stage}`)).toBeVisible()
})
