import type { Browser, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { act, enter, hostileTexts, makeUser, signIn, violations, watch } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

const section = (page: Page) => page.getByRole('region', { name: 'Questions' })
const messages = (page: Page) => page.getByRole('list', { name: 'Messages' }).locator('> li')

/** Creates a deal and a member of its partner. */
async function makeDeal(system: RunningSystem) {
  const [id] = newIds(1)
  const name = `Lopez, Ana ${id}`
  const member = await makeUser(system, { name: 'Nora Vale', deals: [{ id, dealname: name }] })
  await makeUser(system, { name: 'Ben Ito', partner: member.partner })
  return { id: String(id), name, slug: member.slug, member }
}

async function openAs(browser: Browser, system: RunningSystem, role: 'operator', path: string) {
  const context = await browser.newContext({ baseURL: system.url })
  const page = await context.newPage()
  await enter(page, await makeUser(system, { role, name: 'Olivia Grant' }), path)
  return page
}

test('a question on a deal is answered by an operator with a saved reply, and the answer appears automatically', async ({
  page,
  system,
  browser,
}) => {
  const { id, name, slug, member } = await makeDeal(system)
  const problems = watch(page)
  await enter(page, member, `/deals/${id}`)
  const ask = section(page).getByRole('button', { name: 'Ask a question' })
  await ask.click()
  await section(page).getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(ask).toBeFocused()
  // Use the button at the top of the deal, next to the responsible person.
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
  const field = section(page).getByRole('textbox', { name: 'Ask the installer' })
  await expect(field).toBeFocused()
  await field.pressSequentially('Is https://city.example/permit right, @be')
  await expect(page.getByRole('option', { name: 'Ben Ito' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('Is https://city.example/permit right, @Ben Ito ')
  await section(page)
    .getByLabel('Files to attach')
    .setInputFiles([{ name: 'roof.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300_000, 'roof ') }])
  await expect(section(page).getByRole('list', { name: 'Attached files' })).toContainText('300 KB')
  await section(page)
    .getByLabel('Files to attach')
    .setInputFiles([{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) }])
  // A question cannot be sent while the upload of an attached file has failed.
  await expect(section(page).getByRole('button', { name: 'Ask', exact: true })).toBeDisabled()
  await section(page).getByRole('button', { name: 'Discard empty.txt' }).click()
  await field.press('Control+Enter')
  await expect(messages(page)).toHaveCount(1)
  await expect(section(page).getByRole('button', { name: /^Is https/ })).toBeFocused()
  await expect(messages(page).first()).toContainText('You')
  const link = messages(page).getByRole('link', { name: 'https://city.example/permit' })
  await expect(link).toHaveAttribute('rel', /noopener/)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    messages(page)
      .getByRole('button', { name: /^Download/ })
      .click(),
  ])
  expect(download.suggestedFilename()).toBe('roof.txt')
  // Files in a thread are not listed among the deal's files.
  await expect(page.getByRole('region', { name: 'Files' })).toHaveCount(0)

  const operator = await openAs(browser, system, 'operator', `/questions?of=${slug}`)
  const card = operator
    .getByRole('list', { name: 'Questions' })
    .getByRole('listitem')
    .filter({ hasText: name })
  await expect(card).toContainText('Nora Vale')
  await expect(operator.getByRole('navigation', { name: 'Operate' })).toContainText(/Questions\s*\d+ open/)
  await operator.getByRole('button', { name: 'Saved replies' }).click()
  await operator.getByRole('button', { name: 'New reply' }).click()
  await expect(operator.getByLabel('Title')).toBeFocused()
  await operator.getByLabel('Title').fill(`Yes ${id}`)
  await operator.getByLabel('Text').fill('Yes, it is.')
  await operator.getByRole('button', { name: 'Save reply' }).click()
  await expect(operator.getByRole('button', { name: `Actions for Yes ${id}` })).toBeVisible()
  await expect(operator.getByRole('button', { name: 'New reply' })).toBeFocused()
  expect(await violations(operator)).toEqual([])
  const reply = operator.getByRole('listitem').filter({ hasText: `Yes ${id}` })
  await act(reply, `Edit Yes ${id}`)
  await operator.getByRole('button', { name: 'Cancel' }).click()
  await act(reply, `Delete Yes ${id}`)
  await operator.getByRole('alertdialog').getByRole('button', { name: 'Keep reply' }).click()
  await expect(reply.getByRole('button', { name: /^Actions for/ })).toBeFocused()
  await operator.keyboard.press('Escape')
  await card.getByRole('button', { name: /^Answer/ }).click()
  await expect(operator.getByRole('textbox', { name: 'Answer', exact: true })).toBeFocused()
  await card.getByRole('button', { name: 'Insert reply' }).click()
  await operator.getByRole('menuitem', { name: `Yes ${id}` }).click()
  await expect(operator.getByRole('textbox', { name: 'Answer', exact: true })).toHaveValue('Yes, it is.')
  expect(await violations(operator)).toEqual([])
  await card.getByRole('button', { name: 'Send' }).click()
  await expect(operator.getByText('No open questions')).toBeVisible()
  await expect(operator.getByRole('heading', { name: 'Questions', level: 1 })).toBeFocused()

  await expect(messages(page)).toHaveCount(2)
  await expect(messages(page).last()).toContainText('Olivia Grant')
  await expect(messages(page).last()).toContainText('Yes, it is.')
  await section(page).getByRole('button', { name: 'Resolve question' }).click()
  await expect(section(page)).toContainText('Resolved')
  await page.setViewportSize({ width: 390, height: 844 })
  // Wait until the highlights of recent changes have ended.
  await page.waitForFunction(() => document.getAnimations().length === 0)
  expect(await violations(page)).toEqual([])
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
  ).toBe(true)
  await operator.context().close()
  expect(problems).toEqual([])
})

test('the link in a mail leads through sign-in to the question, with the reply field focused', async ({
  page,
  system,
}) => {
  const { id, member } = await makeDeal(system)
  const [thread] = await system.db.$client<[{ id: number }]>`
    insert into threads (deal_id, partner_id, waiting_since)
    select id, partner_id, now() from deals where id = ${id} returning id`
  const text = hostileTexts.join('\n').slice(0, 4000)
  await system.db.$client`
    insert into messages (thread_id, author_name, is_installer, text)
    values (${thread.id}, ${hostileTexts[0]!}, false, ${text})`
  const problems = watch(page)
  await page.goto(`/deals/${id}?thread=${thread.id}#answer`)
  await signIn(page, member)
  await expect(page).toHaveURL(new RegExp(`/deals/${id}\\?thread=${thread.id}`))
  await expect(page.getByRole('textbox', { name: 'Reply', exact: true })).toBeFocused()
  await expect(messages(page)).toHaveCount(1)
  await page.getByRole('textbox', { name: 'Reply', exact: true }).fill('Here it is')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(messages(page).last()).toContainText('Here it is')
  expect(problems).toEqual([])
})
