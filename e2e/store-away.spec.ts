import { type Page, expect, test } from '@playwright/test'
import { enter, makeUser } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { newIds } from './rest/deals.ts'
import { startStore } from './s3/stand-in.ts'
import { startSystem } from './system.ts'

// Uploads while the object store is down. For directories on disk, see server/files/disk-storage.test.ts.

const waits = 'The file store cannot be used at the moment. The upload continues by itself.'
const answersOf = (page: Page, path: RegExp) => {
  const answers: [status: number, retryAfter: string | undefined][] = []
  page.on('response', (response) => {
    if (path.test(response.url())) answers.push([response.status(), response.headers()['retry-after']])
  })
  return answers
}

test('uploads wait for an unavailable object store, and resume automatically', async ({ browser }) => {
  const store = await startStore()
  const system = await startSystem({ env: store.env })
  const context = await browser.newContext({ baseURL: system.url })
  try {
    const [id] = newIds(1)
    const { slug, token } = await system.makePartner({ deals: [{ id: id! }] })
    const page = await context.newPage()
    const operator = await makeUser(system, { role: 'operator' })
    await enter(page, operator, `/deals/${id}`)
    const files = page.getByRole('region', { name: 'Files' })
    const slices = answersOf(page, /\/content\?.*offset=/)

    store.faults.isAway = true
    const plan = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }
    await files.getByRole('button', { name: 'Add files' }).click()
    await files.getByLabel('Files to add').setInputFiles(plan)
    await expect(files.getByRole('status')).toHaveText(waits)
    expect(slices[0]).toEqual([503, '5'])
    store.faults.isAway = false
    await expect(files.getByRole('list', { name: 'Files' })).toContainText('plan.pdf')
    await expect(files.getByRole('list', { name: 'Uploads' })).toHaveCount(0)

    await page.goto(`/imports?partner=${slug}`)
    const csv = { name: 'deals.csv', mimeType: 'text/csv', buffer: Buffer.from(`id,stage\n${id},Permit\n`) }
    await page.getByLabel('Deals file', { exact: true }).setInputFiles(csv)
    slices.length = 0
    store.faults.isAway = true
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await expect(page.getByText(waits)).toBeVisible()
    expect(slices[0]).toEqual([503, '5'])
    const [file] = await system.db.$client`select id from files where deal_id = ${String(id)}`
    const { status, headers } = await ask(system, `GET /api/files/${file!['id']}`, { token })
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    store.faults.isAway = false
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Progress' })).toContainText('Import complete.')
    await expect.poll(() => system.output()).toContain('file store unusable')
  } finally {
    await context.close()
    await system.dispose()
    await store.close()
  }
})
