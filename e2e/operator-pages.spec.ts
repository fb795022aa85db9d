import type { Page } from '@playwright/test'
import { findPartner } from '#server/accounts/store.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { carrySession, enter, hostileTexts, makeUser, ready, signIn, watch } from './portal-user.ts'
import { startSystem } from './system.ts'

const password = 'a long enough password'
const row = (page: Page, slug: string) =>
  page.getByRole('table', { name: 'Partners' }).getByRole('row').filter({ hasText: slug })
const inRow = (page: Page, slug: string, name: string) =>
  row(page, slug).getByRole('button', { name: new RegExp(`^${name} `) })
const find = (page: Page, text: string) => page.getByLabel('Name or slug').fill(text)
const makeSlug = () => `t${crypto.randomUUID().slice(0, 13)}`

test('a new partner gets its first admin, who signs in with the invitation link', async ({
  page,
  browser,
  system,
}) => {
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
  // A slug that was typed is not overwritten.
  await dialog.getByLabel('Name').fill('Solana')
  await expect(dialog.getByLabel('Slug')).toHaveValue(slug)
  await dialog.getByLabel('Time zone').selectOption('Arizona Time (Phoenix)')
  await dialog.getByLabel('Slug').press('Enter')
  await expect(page.getByRole('dialog', { name: 'Solana created' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Import deals' })).toHaveAttribute(
    'href',
    `/imports?partner=${slug}`,
  )
  expect(await findPartner(system.db, slug)).toMatchObject({ timeZone: 'America/Phoenix' })
  await page.getByRole('link', { name: 'Invite an admin' }).click()

  // The link to another partner's page loads a new document.
  await expect(page).toHaveURL(`/team?partner=${slug}`)
  await ready(page)
  await expect(page.getByText('Invite an admin, who can then invite others.')).toBeVisible()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const email = `boss@${slug}.example`
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Name').fill('Rosa Diaz')
  // The page shows the account's new role.
  await expect(page.getByText('Viewing as Solana')).toBeVisible()
  await expect(dialog.getByLabel('Belongs to')).toHaveCount(0)
  await expect(dialog.getByLabel('Role')).toHaveValue('admin')
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText(`Send this link to ${email}`)
  const link = await dialog.getByRole('region', { name: 'Link' }).innerText()
  const boss = await browser.newPage({ baseURL: system.url })
  await boss.goto(new URL(link).pathname)
  await boss.getByLabel('Password', { exact: true }).fill(password)
  await boss.keyboard.press('Enter')
  await expect(boss.getByRole('banner').getByRole('button', { name: 'Rosa Diaz' })).toBeVisible()
  await boss.goto('/team')
  await expect(boss.getByRole('table', { name: 'People' })).toContainText('Last admin')
  await boss.close()
})

test('an operator without partners sees what to do first, and what is done', async ({ browser }) => {
  test.setTimeout(120_000)
  const empty = await startSystem()
  try {
    const access = { email: 'olga@installer.example', password }
    await createUser(empty.db, { ...access, name: 'Olga Reyes', role: 'operator', partnerId: null })
    const page = await browser.newPage({ baseURL: empty.url })
    await enter(page, access, '/')
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await expect(steps).toContainText([
      /Create a partner Not done/,
      /Import deals or connect a CRM Not done/,
      /Check the stages Not done/,
      /Invite the partner’s admin Not done/,
    ])
    await expect(steps.getByRole('link')).toHaveCount(5)
    await expect(page.getByText('Your installer adds your deals.')).toHaveCount(0)

    const { slug } = await empty.makePartner()
    await page.reload()
    await expect(steps.first()).toContainText('Done')
    await expect(steps.getByRole('link', { name: 'Invite the partner’s admin' })).toHaveAttribute(
      'href',
      `/team?partner=${slug}`,
    )
    await empty.operator(['user', 'invite', `ana@${slug}.example`, '--partner', slug, '--role', 'admin'])
    await page.reload()
    await expect(steps.last()).toContainText(/admin Done/)
    await page.goto(`/?partner=${slug}`)
    await expect(page.getByText('Your installer adds your deals.')).toBeVisible()
    await page.close()
  } finally {
    await empty.dispose()
  }
})

test('an operator sees, renames and views partners; hostile names are shown as text', async ({
  page,
  system,
}) => {
  const seen = watch(page)
  const { slug } = await system.makePartner()
  await page.setViewportSize({ width: 1440, height: 900 })
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  await test.step('The table is complete in a wide window', async () => {
    // With the zone, webhooks and invitations of the demo partners.
    const hidden = () =>
      page
        .getByRole('table', { name: 'Partners' })
        .evaluate(({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth)
    await expect.poll(hidden).toBe(0)
  })
  await find(page, slug)
  for (const name of [hostileTexts[0]!, 'Evergreen']) {
    await inRow(page, slug, 'Actions for').click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').getByLabel('Name')).toHaveAccessibleDescription(/^Enter a name/)
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.keyboard.press('Enter')
    await expect(row(page, slug)).toContainText(name)
    await expect(inRow(page, slug, 'Actions for')).toBeFocused()
  }
  await row(page, slug).getByRole('link', { name: 'View as partner Evergreen' }).click()
  await expect(page).toHaveURL(`/?partner=${slug}`)
  await expect(page.getByText('Viewing as Evergreen')).toBeVisible()
  expect(seen).toEqual([])
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
  for (const wrong of ['1.5', '-1', 'ten', '100001']) {
    await field.fill(wrong)
    await page.keyboard.press('Enter')
    await expect(field).toHaveAccessibleDescription('Enter a whole number from 0 to 100,000.')
  }
  expect(await quotaOf()).toBeNull()
  for (const [typed, stored] of [
    ['25', 25],
    ['0', 0],
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

test('a suspended partner has no access by token, session or sign-in until resumed; waiting events are sent then', async ({
  page,
  browser,
  system,
}) => {
  const member = await makeUser(system, { role: 'member' })
  const { id } = (await findPartner(system.db, member.slug))!
  const { stdout } = await system.operator(['token', 'create', '--partner', member.slug, '--name', 'CRM'])
  const ask = async () =>
    (await fetch(`${system.url}/api/deals`, { headers: { authorization: `Bearer ${stdout.trim()}` } })).status
  const { $client: sql } = system.db
  await sql`insert into endpoints (partner_id, kind, url) values (${id}, 'create', 'https://127.0.0.1:1/')`
  const theirs = await browser.newPage({ baseURL: system.url })
  await enter(theirs, member)
  await enter(page, await makeUser(system, { role: 'operator' }), '/partners')
  await find(page, member.slug)
  expect(await ask()).toBe(200)

  // By keyboard alone: Escape closes the menu or the question, and the focus returns to its place.
  const actions = inRow(page, member.slug, 'Actions for')
  await actions.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(actions).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused()
  // The menu moves the focus a moment after the key.
  for (const name of ['Time zone', 'File quota', 'Suspend']) {
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name })).toBeFocused()
  }
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText(
    'Its tokens stop working, its users are signed out, and no webhooks are sent, effective immediately.',
  )
  await page.keyboard.press('Escape')
  await expect(actions).toBeFocused()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Suspend' }).press('Enter')
  await question.getByRole('button', { name: 'Suspend' }).click()
  await expect(row(page, member.slug)).toContainText('Suspended')
  await expect(row(page, member.slug)).toContainText('New deals: Paused')
  expect(await ask()).toBe(401)
  await theirs.reload()
  await expect(theirs).toHaveURL(/sign-in/)
  await signIn(theirs, member)
  await expect(theirs.getByRole('alert').filter({ hasText: 'access is suspended' })).toBeVisible()

  await writeDeals(system.db, [{ record: { id: BigInt(Date.now()) }, partnerId: id }], {
    now: new Date(),
    events: true,
  })
  const [before] = await sql<{ now: Date }[]>`select now()`
  await actions.click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await expect(page.getByText('resumed. Waiting events are being sent.')).toBeVisible()
  expect(await ask()).toBe(200)
  // Not a reachable URL: only that it is tried again, and not before, matters.
  await expect
    .poll(
      () =>
        sql`select 1 from attempts join deliveries on deliveries.id = delivery_id where partner_id = ${id}`,
    )
    .not.toHaveLength(0)
  expect(
    await sql`select 1 from attempts join deliveries on deliveries.id = delivery_id where partner_id = ${id} and started_at < ${before!.now}`,
  ).toHaveLength(0)
  await theirs.reload()
  await expect(theirs).toHaveURL(/sign-in/)
  await signIn(theirs, member)
  await expect(theirs.getByRole('banner')).toBeVisible()
  await theirs.close()
})

test('health shows its figures, warns without a worker, and keeps the last figures while it cannot refresh', async ({
  page,
  context,
  system,
}) => {
  // Time passes normally, except for the waits below.
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
    // The worker sends its next heartbeat within 10 seconds.
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

test('members and admins have no access to the pages for operators', async ({ page, system }) => {
  for (const role of ['member', 'admin'] as const) {
    await carrySession(page, await makeUser(system, { role }))
    for (const path of ['/partners', '/health'])
      expect((await page.request.get(path)).status(), `${path} as ${role}`).toBe(403)
  }
  expect((await page.goto('/partners'))!.status()).toBe(403)
  await expect(page.getByRole('heading', { name: 'You don’t have access to this page' })).toBeVisible()
})
