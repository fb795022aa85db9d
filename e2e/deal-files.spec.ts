import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, violations, watch } from './portal-user.ts'

const files = (page: Page) => page.getByRole('region', { name: 'Files' })
const list = (page: Page) => files(page).getByRole('list', { name: 'Files' })

test('an operator adds files to a deal; its partner can view files but not add any', async ({
  page,
  system,
  browser,
}) => {
  const { ids, ...partnerUser } = await makeUser(system, { deals: [{ dealname: 'Garcia, Daniel' }] })
  const [id] = ids
  const problems = watch(page)
  await enter(page, await makeUser(system, { role: 'operator' }), `/deals/${id}`)
  const photo = { name: 'roof "süd".png', mimeType: 'image/png', buffer: await page.screenshot() }
  const plan = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(1_200_000, '%PDF-1.7 ') }
  const script = {
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg onload="alert(1)"/>'),
  }
  await expect(files(page)).toContainText('No files yet.')
  await files(page).getByRole('button', { name: 'Add files' }).click()
  await files(page).getByLabel('Kind of file').selectOption('Plan set')
  await files(page).getByLabel('Files to add').setInputFiles([plan, script])
  await expect(list(page).getByRole('listitem')).toHaveCount(2)
  await expect(list(page)).toContainText('plan.pdf')
  await expect(list(page)).toContainText('Plan set · 1.2 MB')

  // Add another file by dropping it, with another kind selected.
  await files(page).getByLabel('Kind of file').selectOption('Photo')
  const dropped = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0)!)
    transfer.items.add(new File([bytes], 'roof "süd".png', { type: 'image/png' }))
    return transfer
  }, photo.buffer.toString('base64'))
  await files(page)
    .getByText('Choose files, or drop them here')
    .dispatchEvent('drop', { dataTransfer: dropped })
  await expect(list(page).getByRole('listitem')).toHaveCount(3)
  expect(await violations(page)).toEqual([])

  // A rejected file shows the reason and can be discarded.
  await files(page)
    .getByLabel('Files to add')
    .setInputFiles([{ ...script, buffer: Buffer.alloc(0) }])
  await expect(files(page).getByRole('alert')).toHaveText('The file is empty.')
  await files(page).getByRole('button', { name: 'Discard logo.svg' }).click()
  await expect(files(page).getByRole('list', { name: 'Uploads' })).toHaveCount(0)

  await list(page).getByRole('button', { name: 'Remove logo.svg' }).click()
  await page.getByRole('button', { name: 'Remove file' }).click()
  await expect(list(page).getByRole('listitem')).toHaveCount(2)
  expect(problems).toEqual([])

  const context = await browser.newContext({ baseURL: system.url })
  const member = await context.newPage()
  await enter(member, partnerUser, `/deals/${id}`)
  await expect(list(member).getByRole('listitem')).toHaveCount(2)
  await expect(files(member).getByLabel('Files to add')).toHaveCount(0)
  await expect(list(member).getByRole('button', { name: /^Remove/ })).toHaveCount(0)
  const small = files(member).getByRole('link', { name: 'Open roof "süd".png in a new tab' })
  const [tab] = await Promise.all([member.waitForEvent('popup'), small.click()])
  const large = tab.getByRole('img')
  await expect
    .poll(() => large.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(300)
  await tab.close()
  expect(await violations(member)).toEqual([])
  const [download] = await Promise.all([
    member.waitForEvent('download'),
    list(member).getByRole('button', { name: 'Download plan.pdf' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('plan.pdf')
  await context.close()
})
