import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { act, carrySession, clearCookies, enter, makeUser, signIn } from './portal-user.ts'

const password = 'a long enough password'
const rows = (page: Page, list: string) =>
  page.getByRole('table', { name: list, exact: true }).getByRole('row')
const rowOf = (page: Page, text: string, list = 'People') => rows(page, list).filter({ hasText: text })
const menuOf = (row: Locator) => row.getByRole('button', { name: /^Actions for / })
const dialog = (page: Page) => page.getByRole('dialog')
const question = (page: Page) => page.getByRole('alertdialog')

async function changeRole(page: Page, email: string, name: 'Make admin' | 'Make member') {
  await act(rowOf(page, email), name)
  await question(page).getByRole('button', { name }).click()
}

async function fillInvitation(page: Page, email: string, name: string, role?: RegExp) {
  await page.getByRole('button', { name: 'Invite', exact: true }).first().click()
  await dialog(page).getByLabel('E-mail address').fill(email)
  await dialog(page).getByLabel('Name').fill(name)
  if (role !== undefined)
    await dialog(page)
      .getByLabel('Role')
      .selectOption({
        label: (await dialog(page).getByLabel('Role').locator('option').allTextContents()).find((text) =>
          role.test(text),
        )!,
      })
  await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
}

test('an admin invites someone by a link that works once, corrects an invitation, and withdraws one', async ({
  page,
  browser,
  system,
}) => {
  const admin = await makeUser(system, { role: 'admin' })
  await enter(page, admin, '/team')

  await test.step('The link is shown once and signs in; an earlier link no longer works', async () => {
    await expect(page).toHaveTitle(/^Team/)
    await expect(rowOf(page, admin.email)).toContainText('You')
    await expect(rowOf(page, admin.email)).toContainText('Last admin')
    await expect(rowOf(page, admin.email).getByRole('button')).toHaveCount(0)

    const email = `nia@${admin.slug}.example`
    await fillInvitation(page, email.toUpperCase(), 'Nia Okafor', /^Admin/)
    await expect(dialog(page)).toContainText(
      `Send this link to ${email}. It works once and expires in 7 days.`,
    )
    const first = await dialog(page).getByRole('region', { name: 'Link' }).innerText()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('button', { name: 'Invite', exact: true })).toBeFocused()
    await expect(rowOf(page, email, 'Pending invitations')).toContainText('Valid until')

    await act(rowOf(page, email, 'Pending invitations'), 'Resend')
    const second = await dialog(page).getByRole('region', { name: 'Link' }).innerText()
    expect(second).not.toBe(first)
    await page.keyboard.press('Escape')
    await expect(menuOf(rowOf(page, email, 'Pending invitations'))).toBeFocused()

    const invited = await browser.newPage({ baseURL: system.url })
    expect((await invited.request.get(new URL(first).pathname)).status()).toBe(404)
    await invited.goto(new URL(second).pathname)
    await invited.getByLabel('Password', { exact: false }).first().fill(password)
    await invited.keyboard.press('Enter')
    await expect(invited.getByRole('banner').getByRole('button', { name: 'Nia Okafor' })).toBeVisible()
    await invited.goto('/team')
    await expect(rowOf(invited, 'Nia Okafor')).toContainText('You')
    await invited.close()
    await page.reload()
    await expect(rowOf(page, email)).toContainText('Admin')
    await expect(page.getByRole('table', { name: 'Pending invitations' })).toHaveCount(0)
  })
  await test.step('An invalid invitation is reported at its field, and an invitation can be withdrawn', async () => {
    const other = await makeUser(system)
    await page.getByRole('button', { name: 'Invite', exact: true }).press('Enter')
    const send = dialog(page).getByRole('button', { name: 'Invite', exact: true })
    const [address, name] = [dialog(page).getByLabel('E-mail address'), dialog(page).getByLabel('Name')]
    await send.press('Enter')
    await expect(address).toBeFocused()
    await expect(address).toHaveAccessibleDescription(/^Enter an e-mail address/)
    await expect(name).toHaveAccessibleDescription(/^Enter a name/)
    await name.fill('Ana')
    for (const [typed, problem] of [
      [admin.email, 'This e-mail address is on the team already.'],
      [other.email, 'This e-mail address cannot be invited here: use another one.'],
    ] as const) {
      await address.fill(typed)
      await page.keyboard.press('Enter')
      await expect(address).toHaveAccessibleDescription(problem)
      await expect(address).toBeFocused()
    }
    await address.fill(`a0@${admin.slug}.example`)
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await act(rowOf(page, 'a0@', 'Pending invitations'), 'Withdraw')
    await expect(question(page)).toContainText('stops working immediately')
    await question(page).getByRole('button', { name: 'Withdraw' }).click()
    await expect(rowOf(page, 'a0@', 'Pending invitations')).toHaveCount(0)
  })
})

test('role changes and removals take effect immediately in open browsers; the last admin stays', async ({
  page,
  browser,
  system,
}) => {
  const admin = await makeUser(system, { role: 'admin' })
  const ben = await makeUser(system, { name: 'Ben', partner: admin.partner })
  const colleague = await browser.newPage({ baseURL: system.url })
  await carrySession(colleague, ben)
  expect((await colleague.goto('/team'))!.status()).toBe(403)
  await expect(colleague.getByRole('heading', { name: 'You don’t have access to this page' })).toBeVisible()

  await enter(page, admin, '/team')
  await act(rowOf(page, ben.email), 'Make admin')
  await expect(question(page)).toContainText('Ben will also manage webhooks, tokens and the team')
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(menuOf(rowOf(page, ben.email))).toBeFocused()
  await changeRole(page, ben.email, 'Make admin')
  await expect(page.getByText('Ben is now an admin.')).toBeVisible()
  await colleague.goto('/team')
  await expect(rowOf(colleague, admin.email)).toBeVisible()
  await act(rowOf(page, ben.email), 'Make member')
  await expect(question(page)).toContainText('Ben will still see deals and files, but no longer webhooks')
  await question(page).getByRole('button', { name: 'Make member' }).click()
  await expect(page.getByText('Ben is now a member.')).toBeVisible()
  expect((await colleague.request.get('/team')).status()).toBe(403)

  // If an action is no longer possible, the page explains why.
  await changeRole(page, ben.email, 'Make admin')
  await expect(rowOf(page, ben.email)).toContainText('Admin')
  await system.db.$client`update users set role = 'member' where email = ${ben.email}`
  await act(rowOf(page, admin.email), 'Remove')
  await expect(question(page)).toContainText('You are signed out immediately')
  await question(page).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('This is the last admin: make somebody else an admin first.')).toBeVisible()
  await expect(rowOf(page, admin.email)).toContainText('Last admin')

  await act(rowOf(page, ben.email), 'Remove')
  await expect(question(page)).toContainText(
    'Their private views are deleted; those shared with the team become yours.',
  )
  await question(page).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Ben removed.')).toBeVisible()
  await expect(rowOf(page, ben.email)).toHaveCount(0)
  // The page may already be redirecting to the sign-in page.
  await colleague.goto('/deals').catch(() => {})
  await expect(colleague).toHaveURL(/sign-in/)
  await colleague.close()
})

test('an operator finds any user, creates password reset links, and is warned before leaving a partner without an admin', async ({
  page,
  system,
}) => {
  const [operator, admin] = [
    await makeUser(system, { role: 'operator' }),
    await makeUser(system, { role: 'admin', name: 'Wren Park' }),
  ]
  await enter(page, operator, `/team?of=${admin.slug}`)
  await expect(page).toHaveTitle(/^Accounts/)
  await expect(rows(page, 'People')).toHaveCount(2)
  await page.getByLabel('Partner').selectOption('')
  await page.getByLabel('Name or e-mail').fill(admin.email.slice(0, 30))
  await expect(rows(page, 'People')).toHaveCount(2)
  await expect(rowOf(page, admin.email)).toContainText('A partner of a test')
  await act(rowOf(page, admin.email), 'Reset password')
  await expect(dialog(page)).toContainText('expires in 1 hour')
  const link = await dialog(page).getByRole('region', { name: 'Link' }).innerText()
  await page.keyboard.press('Escape')
  await act(rowOf(page, admin.email), 'Remove')
  await expect(question(page)).toContainText('A partner of a test will have no admin left')
  await question(page).getByRole('button', { name: 'Cancel' }).click()

  await fillInvitation(page, operator.email, 'Sam')
  await expect(dialog(page).getByLabel('Belongs to')).toHaveAccessibleDescription(/^Select a partner/)
  await dialog(page).getByLabel('Belongs to').selectOption({ value: '-' })
  await expect(dialog(page)).toContainText('Operators can see the deals of all partners')
  await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(dialog(page).getByLabel('E-mail address')).toHaveAccessibleDescription(
    'This e-mail address is on the team already.',
  )
  await page.keyboard.press('Escape')

  await clearCookies(page)
  await page.goto(new URL(link).pathname)
  await page.getByLabel('New password').fill('another long password')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('banner')).toBeVisible()
  await clearCookies(page)
  await page.goto('/sign-in')
  await signIn(page, { ...admin, password: 'another long password' })
  await expect(page.getByRole('banner').getByRole('button', { name: 'Wren Park' })).toBeVisible()
})
