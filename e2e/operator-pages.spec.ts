import type { Page } from '@playwright/test'
import { findPartner } from '#server/accounts/store.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, signIn } from './portal-user.ts'

const row = (page: Page, slug: string) =>
  page.getByRole('table', { name: 'Partners' }).getByRole('row').filter({ hasText: slug })
const inRow = (page: Page, slug: string, name: string) =>
  row(page, slug).getByRole('button', { name: new RegExp(`^${name} `) })
const find = (page: Page, text: string) => page.getByLabel('Name or slug').fill(text)
const makeSlug = () => `t${crypto.randomUUID().slice(0, 13)}`

test('the new-partner form suggests a slug and marks invalid fields', async ({ page, system }) => {
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  const slug = makeSlug()
  await page.getByRole('button', { name: 'New partner' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create partner' }).press('Enter')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/^Enter a name/)
  await expect(dialog.getByLabel('Slug')).toHaveAccessibleDescription(/^Use 1 to 63/)
  await page.keyboard.type(`Söläna ${slug}, Inc.`)
  await expect(dialog.getByLabel('Slug')).toHaveValue(`solana-${slug}-inc`)
  await dialog.getByLabel('Slug').fill('sunline-home-energy')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Slug')).toHaveAccessibleDescription('This slug is already taken.')
  await dialog.getByLabel('Slug').fill(slug)
  // A slug that the user has typed is not overwritten.
  await dialog.getByLabel('Name').fill('Solana')
  await expect(dialog.getByLabel('Slug')).toHaveValue(slug)
  await dialog.getByLabel('Time zone').selectOption('Arizona Time (Phoenix)')
  await dialog.getByLabel('Slug').press('Enter')
  await expect(page.getByRole('dialog', { name: 'Solana created' })).toBeVisible()
  for (const [name, path] of [
    ['Invite an admin', '/team'],
    ['Import deals', '/imports'],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', `${path}?partner=${slug}`)
  expect(await findPartner(system.db, slug)).toMatchObject({ timeZone: 'America/Phoenix' })
})

test('an operator sees, renames and views partners', async ({ page, system, demo }) => {
  const { slug } = await system.makePartner()
  await page.setViewportSize({ width: 1440, height: 900 })
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  await test.step('The partner table is complete in a wide window', async () => {
    // The columns are widest for demo partners, which have zones, webhooks and invitations. Partners of other
    // tests may have longer texts.
    await find(page, demo.slug)
    await expect(page.getByRole('table', { name: 'Partners' }).getByRole('row')).toHaveCount(2)
    const hidden = () =>
      page
        .getByRole('table', { name: 'Partners' })
        .evaluate(({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth)
    await expect.poll(hidden).toBe(0)
  })
  await find(page, slug)
  await inRow(page, slug, 'Actions for').click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  const name = page.getByRole('dialog').getByLabel('Name')
  await name.fill('')
  await page.keyboard.press('Enter')
  await expect(name).toHaveAccessibleDescription(/^Enter a name/)
  await name.fill('Evergreen')
  await page.keyboard.press('Enter')
  await expect(row(page, slug)).toContainText('Evergreen')
  await expect(inRow(page, slug, 'Actions for')).toBeFocused()
  await row(page, slug).getByRole('link', { name: 'View as partner Evergreen' }).click()
  await expect(page).toHaveURL(`/?partner=${slug}`)
  await expect(page.getByText('Viewing as Evergreen')).toBeVisible()
})

test('an operator sees and changes the file quota of a partner', async ({ page, system }) => {
  const member = await makeUser(system)
  const { slug } = member
  const { id } = (await findPartner(system.db, slug))!
  const quotaOf = async () => {
    const [partner] = await system.db.$client<
      { bytes: string | null }[]
    >`select file_quota_bytes as bytes from partners where id = ${id}`
    return partner!.bytes && Number(partner!.bytes) / 1000 ** 3
  }
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  await find(page, slug)
  const dialog = page.getByRole('dialog', { name: /^File quota of / })
  const openDialog = async () => {
    await inRow(page, slug, 'Actions for').click()
    await page.getByRole('menuitem', { name: 'File quota' }).click()
  }
  await openDialog()
  await expect(dialog).toContainText('Its users have attached 0 bytes of 10 GB to questions.')
  const field = dialog.getByLabel('Quota in GB')
  await expect(field).toHaveValue('')
  await field.fill('1.5')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAccessibleDescription('Enter a whole number from 0 to 100,000.')
  expect(await quotaOf()).toBeNull()
  for (const [typed, stored] of [
    ['25', 25],
    ['', null],
  ] as const) {
    await field.fill(typed)
    await dialog.getByRole('button', { name: 'Save quota' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(inRow(page, slug, 'Actions for')).toBeFocused()
    expect(await quotaOf()).toBe(stored)
    await openDialog()
    await expect(field).toHaveValue(typed)
  }
})

test('a suspended partner has no access by token, session or sign-in until resumed', async ({
  page,
  browser,
  system,
}) => {
  const member = await makeUser(system, { role: 'member' })
  const { stdout } = await system.operator(['token', 'create', '--partner', member.slug, '--name', 'CRM'])
  const ask = async () =>
    (await fetch(`${system.url}/api/deals`, { headers: { authorization: `Bearer ${stdout.trim()}` } })).status
  const theirs = await browser.newPage({ baseURL: system.url })
  await enter(theirs, member)
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  await find(page, member.slug)
  expect(await ask()).toBe(200)

  const actions = inRow(page, member.slug, 'Actions for')
  await actions.click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText(
    'Its tokens stop working, its users are signed out, and no webhooks are sent, effective immediately.',
  )
  await question.getByRole('button', { name: 'Suspend' }).click()
  await expect(row(page, member.slug)).toContainText('Suspended')
  expect(await ask()).toBe(401)
  await theirs.reload()
  await expect(theirs).toHaveURL(/sign-in/)
  await signIn(theirs, member)
  await expect(theirs.getByRole('alert').filter({ hasText: 'access is suspended' })).toBeVisible()

  await actions.click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await expect(page.getByText('resumed. Waiting events are being sent.')).toBeVisible()
  expect(await ask()).toBe(200)
  await theirs.reload()
  await expect(theirs).toHaveURL(/sign-in/)
  await signIn(theirs, member)
  await expect(theirs.getByRole('banner')).toBeVisible()
  await theirs.close()
})

test('Health shows its figures, warns without a worker, and keeps the last figures while refreshing fails', async ({
  page,
  context,
  system,
}) => {
  // Time runs normally except where the test advances it.
  await page.clock.install()
  await enter(page, await makeUser(system, { role: 'operator' }), '/health')
  const panel = (name: string) => page.getByRole('region', { name })
  await expect(panel('Database')).toContainText(/Response time[\d.]+ ms.*PostgreSQL \d/s)
  await expect(panel('Workers').getByRole('listitem')).toHaveCount(1)
  await expect(panel('Last 24 hours').getByRole('listitem')).toHaveCount(6)
  await expect(panel('Version')).toContainText(/\d+\.\d+\.\d+.*00\d\d/s)
  await expect(page.getByRole('alert').filter({ hasText: 'No worker is running' })).toHaveCount(0)
  const { $client: sql } = system.db
  await expect(async () => {
    // The worker registers again with its next heartbeat, within 10 seconds.
    await sql`delete from workers`
    await page.reload()
    await expect(page.getByRole('alert').filter({ hasText: 'No worker is running' })).toBeVisible({
      timeout: 2000,
    })
  }).toPass()
  await context.setOffline(true)
  await expect(async () => {
    await page.clock.fastForward(10_000)
    await expect(page.getByRole('alert').filter({ hasText: 'Figures are from' })).toBeVisible({
      timeout: 1000,
    })
  }).toPass()
  await expect(panel('Database')).toContainText('PostgreSQL')
  await context.setOffline(false)
  await expect(async () => {
    await page.clock.fastForward(10_000)
    await expect(page.getByRole('alert').filter({ hasText: 'Figures are from' })).toBeHidden({
      timeout: 1000,
    })
  }).toPass()
})
