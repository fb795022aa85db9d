import { spawn } from 'node:child_process'
import type { Page } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import { findPartner } from '#server/accounts/store.ts'
import { expect, test } from './fixtures.ts'
import { act, enter, makeUser, ready } from './portal-user.ts'
import { startReceiver, verified } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals, newIds } from './rest/deals.ts'
import { type RunningSystem } from './system.ts'

// From nothing to delivered events as an operator and an admin, following only the screens.

/** `npm run inbox` beside the system, as somebody who tries webhooks starts it. */
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
  // In order of their sequence; only the check's test events with an invalid signature are rejected.
  await expect.poll(() => inbox.output()).toContain('#500')
  await admin.reload()
  await expect(admin.getByRole('region', { name: 'New deals', exact: true })).toContainText('Active')
  inbox.stop()
  await admin.context().close()
})

test('secret and token are rotated during imports without losing or rejecting an event or request', async ({
  page,
  system,
}) => {
  test.slow()
  const admin = await makeUser(system, { role: 'admin' })
  const partner = { ...(await findPartner(system.db, admin.slug))!, token: '' }
  let secret = ''
  const refused: number[] = []
  const receiver = await startReceiver((request) => {
    try {
      verified(secret, request)
      return 200
    } catch {
      refused.push(request.sequence)
      return 401
    }
  })
  await enter(page, admin, '/webhooks')
  const shown = page.getByText(/^whsec_[\w+/]{43}=$/)
  await page.getByRole('button', { name: 'Signing secret', exact: true }).click()
  await page.getByRole('button', { name: 'Reveal' }).click()
  secret = await shown.innerText()
  await page.getByRole('button', { name: 'Endpoints', exact: true }).click()
  await field(page, 'New deals').fill(`${receiver.url}/created`)
  await page.getByRole('button', { name: 'Save endpoints' }).click()
  await expect(
    page.getByRole('region', { name: 'New deals', exact: true }).getByRole('status'),
  ).toContainText('All checks passed.')
  const arrive = async (count: number) => {
    await bringIn(system, partner, newDeals(20))
    await expect
      .poll(
        () =>
          new Set(receiver.accepted.map(({ sequence }) => sequence).filter((sequence) => sequence > 0)).size,
        { timeout: 20_000 },
      )
      .toBe(count)
  }
  await arrive(20)
  await page.getByRole('button', { name: 'Signing secret', exact: true }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click()
  await expect(page.getByRole('region', { name: 'Rotation' })).toBeVisible()
  // The receiver still has the old one, then the new one, and then that one alone signs.
  await arrive(40)
  await expect(shown).not.toHaveText(secret)
  secret = await shown.innerText()
  await arrive(60)
  await page
    .getByRole('region', { name: 'Rotation' })
    .getByRole('button', { name: 'Retire old secret' })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Test and retire' }).click()
  await expect(page.getByRole('region', { name: 'Rotation' })).toHaveCount(0)
  await arrive(80)
  expect(receiver.accepted.at(-1)!.headers['webhook-signature']).toMatch(/^v1,\S+$/)
  expect(refused.filter((sequence) => sequence > 0)).toEqual([])

  await page.goto('/tokens')
  const dialog = page.getByRole('dialog')
  const made = async () => {
    const token = await dialog.getByRole('group', { name: 'Token' }).innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()
    return token
  }
  await page.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByLabel('Name').fill('CRM')
  await dialog.getByLabel('deals:read').check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const old = await made()
  await act(page.getByRole('row', { name: /CRM/ }), /^Rotate CRM/)
  await dialog.getByRole('button', { name: 'Rotate token' }).click()
  const next = await made()
  for (const token of [old, next])
    expect((await ask(system, 'GET /api/events?after=0&limit=100', { token })).json.events).toHaveLength(80)
  await receiver.close()
})
