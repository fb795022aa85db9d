import { spawn } from 'node:child_process'
import type { Page } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import { findPartner } from '#server/accounts/store.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, ready } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import { type RunningSystem } from './system.ts'

// From an empty installation to delivered events as an operator and an admin, following only what the screens
// say.

/** Starts `npm run inbox` next to the system, like somebody who tries out webhooks. */
async function startInbox(system: RunningSystem) {
  const port = await freePort()
  const child = spawn(process.execPath, ['server/inbox.ts', '--port', String(port)], {
    env: { ...process.env, FORCE_COLOR: undefined, DATA_DIR: system.dataDir, PORT: new URL(system.url).port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Ctrl-C stops it.')
  return { url: `http://localhost:${port}`, output: () => output, stop: () => child.kill('SIGKILL') }
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

test('an operator creates a partner, invites its admin and imports 500 deals; the admin sets up webhooks, and each event arrives verified', async ({
  page,
  browser,
  system,
}) => {
  test.slow()
  const inbox = await startInbox(system)
  const slug = `walk-${crypto.randomUUID().slice(0, 8)}`
  await enter(page, await makeUser(system, { role: 'operator' }), '/')
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'Operate' }).click()
  await page.getByRole('button', { name: 'New partner' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Evergreen Solar')
  await dialog.getByLabel('Slug').fill(slug)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Invite an admin' }).click()
  await expect(page).toHaveURL(`/team?partner=${slug}`)
  await ready(page)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByLabel('E-mail address').fill(`rosa@${slug}.example`)
  await dialog.getByLabel('Name').fill('Rosa Diaz')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = await dialog.getByRole('region', { name: 'Link' }).innerText()

  const admin = await (await browser.newContext({ baseURL: system.url })).newPage()
  await admin.goto(new URL(link).pathname)
  await admin.getByLabel('Password', { exact: true }).fill('a long enough password')
  await admin.getByRole('button', { name: 'Accept and sign in' }).click()
  await admin.getByRole('button', { name: /^Account/ }).click()
  await admin.getByRole('menuitem', { name: 'Manage' }).click()
  await admin.getByRole('navigation', { name: 'Manage' }).getByRole('link', { name: 'Webhooks' }).click()
  await expect(admin.getByRole('region', { name: 'First steps' })).toContainText('npm run inbox')
  await field(admin, 'New deals').fill(`${inbox.url}/created`)
  await field(admin, 'Deal updates').fill(`${inbox.url}/updated`)
  await admin.getByRole('button', { name: 'Save endpoints' }).click()
  for (const name of ['New deals', 'Deal updates']) {
    await expect(admin.getByRole('region', { name, exact: true }).getByRole('status')).toContainText(
      'All checks passed.',
    )
    await expect(admin.getByRole('region', { name, exact: true })).toContainText(
      'Rejected a test event with an invalid signature',
    )
  }

  await page.goto(`/imports?partner=${slug}`)
  await page.getByLabel('Deals file', { exact: true }).setInputFiles({
    name: 'deals.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      ['id,dealname,stage', ...newIds(500).map((id) => `${id},"Lopez, Ana ${id}",Permit Submitted`)].join(
        '\r\n',
      ),
    ),
  })
  await page.getByRole('button', { name: 'Upload and check' }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Progress' })).toContainText('Import complete.')
  const { id } = (await findPartner(system.db, slug))!
  await expect
    .poll(
      async () =>
        (
          await system.db
            .$client`select from deliveries where partner_id = ${id} and sequence is not null and state = 'delivered'`
        ).length,
      { timeout: 30_000 },
    )
    .toBe(500)
  // Events arrive in order. Only the check's test events with an invalid signature are rejected.
  await expect.poll(() => inbox.output()).toContain('#500')
  await admin.reload()
  await expect(admin.getByRole('region', { name: 'New deals', exact: true })).toContainText('Active')
  inbox.stop()
  await admin.context().close()
})
