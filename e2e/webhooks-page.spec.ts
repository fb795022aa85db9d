import type { Page } from '@playwright/test'
import { freePort } from '#db/free-port.ts'
import type { PartnerId } from '#server/accounts/partner.ts'
import { findPartner } from '#server/accounts/store.ts'
import { writeEndpoints } from '#server/webhooks/store.ts'
import { expect, test } from './fixtures.ts'
import { type Access, act, enter, hostileTexts, makeUser, violations, watch } from './portal-user.ts'
import { type Receiver, startReceiver, verified } from './receiver.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type RunningSystem } from './system.ts'

let receiver: Receiver
/** The receiver's secrets by path; null accepts every signature. */
let secrets: Record<string, string> | null
test.beforeEach(async () => {
  secrets = null
  receiver = await startReceiver((request) => {
    try {
      if (secrets !== null) verified(secrets[request.path]!, request)
      return 200
    } catch {
      return 401
    }
  })
})
test.afterEach(() => receiver.close())

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save endpoints' }).click()
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const outcome = (page: Page, name: string) => card(page, name).getByRole('status')
const sendTest = (page: Page, name: string) =>
  card(page, name).getByRole('button', { name: 'Send test' }).click()
const secretOf = (page: Page) => page.getByRole('group', { name: 'Signing secret' })

/** Creates a partner whose events go to the receiver. Returns an admin. */
async function makeListener(
  system: RunningSystem,
): Promise<Access & { id: number; slug: string; partnerId: PartnerId }> {
  const admin = await makeUser(system, { role: 'admin' })
  const partnerId = (await findPartner(system.db, admin.slug))!.id as PartnerId
  await writeEndpoints(system.db, partnerId, {
    create: `${receiver.url}/created`,
    update: `${receiver.url}/updated`,
  })
  return { ...admin, partnerId }
}

test('an admin sets URLs, sees their problems, sends test events, and rotates the secret, in any window', async ({
  page,
  system,
}) => {
  const seen = watch(page)
  const admin = await makeUser(system, { role: 'admin' })
  await enter(page, admin, '/webhooks')
  const steps = page.getByRole('region', { name: 'First steps' })
  await expect(steps.getByRole('heading')).toHaveText([
    'Set a URL',
    'Send a test event',
    'Verify the signature',
  ])
  await expect(steps).toContainText('npm run inbox')

  await page.getByRole('button', { name: 'Signing secret', exact: true }).click()
  await expect(secretOf(page)).not.toContainText(/whsec_\w/)
  await page.getByRole('button', { name: 'Reveal' }).click()
  await expect(secretOf(page)).toHaveText(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const old = await secretOf(page).innerText()
  await page.getByRole('button', { name: 'Endpoints', exact: true }).click()
  secrets = { '/created': old, '/updated': old }

  for (const [text, reason] of [
    ['ftp://a.example/', 'The URL must be an http or https URL.'],
    ['http://10.0.0.1/', '10.0.0.1 is a private address. Use a public one.'],
    [hostileTexts[0]!, 'The URL must not contain spaces or invisible characters.'],
  ] as const) {
    await field(page, 'Deal updates').fill(text)
    await save(page)
    await expect(field(page, 'Deal updates')).toBeFocused()
    await expect(field(page, 'Deal updates')).toHaveAccessibleDescription(reason)
  }
  await field(page, 'New deals').fill(`${receiver.url}/created`)
  await field(page, 'Deal updates').fill(` ${receiver.url}/updated `)
  await page.keyboard.press('Enter')
  for (const name of ['New deals', 'Deal updates']) {
    await expect(outcome(page, name)).toContainText('All checks passed.')
    await expect(card(page, name).getByRole('listitem')).toHaveCount(6)
    await expect(card(page, name)).toContainText('Rejected a test event with an invalid signature (401).')
  }
  await expect(card(page, 'New deals')).toContainText('Ready')

  secrets = null
  await sendTest(page, 'New deals')
  await expect(outcome(page, 'New deals')).toContainText('Works, with 1 warning.')
  await expect(card(page, 'New deals')).toContainText('Does not verify signatures')
  secrets = { '/created': old, '/updated': 'whsec_AAAA' }
  await sendTest(page, 'Deal updates')
  await expect(outcome(page, 'Deal updates')).toContainText('failed.')
  await expect(card(page, 'Deal updates')).toContainText('401')
  await expect(outcome(page, 'Deal updates').getByRole('link')).toHaveAttribute('href', /^\/deliveries\/\d+$/)

  await page.getByRole('button', { name: 'Signing secret', exact: true }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  const question = page.getByRole('alertdialog', { name: 'Rotate the signing secret?' })
  await expect(question).toContainText('stays valid for 24 hours')
  await question.getByRole('button', { name: 'Rotate' }).click()
  // The new secret replaces the hidden one.
  await expect(secretOf(page)).toHaveText(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const next = await secretOf(page).innerText()
  const rotation = page.getByRole('region', { name: 'Rotation' })
  secrets = { '/created': next, '/updated': old }
  for (const result of ['rejected', 'accepted']) {
    await rotation.getByRole('button', { name: 'Retire old secret' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Test and retire' }).click()
    if (result === 'rejected')
      await expect(rotation.getByRole('alert')).toContainText('Deal updates: status 401')
    secrets = { '/created': next, '/updated': next }
  }
  await expect(rotation).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Reveal' })).toBeVisible()
  await expect(rotation).toHaveCount(0)
  expect(seen).toEqual([])

  await test.step('The page is accessible and fits narrow windows', async () => {
    secrets = null
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click()
    await expect(page.getByRole('region', { name: 'Rotation' })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Endpoints', exact: true }).click()
    for (const name of ['New deals', 'Deal updates']) {
      await sendTest(page, name)
      // Wait for the results: they move the content below, and a click on a moving button would miss.
      await expect(card(page, name)).toContainText('Does not verify signatures')
    }
    await field(page, 'New deals').fill('x')
    await save(page)
    await expect(page.locator('[aria-invalid]')).toHaveCount(1)
    await inBothWidths(page)
    const { id } = (await findPartner(system.db, admin.slug))!
    await writeEndpoints(system.db, id as PartnerId, { create: null, update: null })
    await page.reload()
    await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
    await inBothWidths(page)
  })
})

test('one URL serves both endpoints and is removed when saved empty; a failed connection shows in its check, card and account menu', async ({
  page,
  system,
}) => {
  await enter(page, await makeUser(system, { role: 'admin' }), '/webhooks')
  await page.getByRole('checkbox', { name: 'Use one URL for both' }).check()
  await field(page, 'URL for both').fill(`http://127.0.0.1:${await freePort()}/`)
  await save(page)
  await expect(outcome(page, 'New deals')).toHaveText('1 check failed.')
  await expect(card(page, 'New deals')).toContainText('The connection was refused.')
  for (const name of ['New deals', 'Deal updates']) {
    await expect(card(page, name)).toContainText(/Failing\s*for less than a minute/)
    await expect(card(page, name)).toContainText(/Last response\s*The connection was refused/)
  }
  await page.goto('/')
  const failing = page.getByRole('img', { name: 'Webhooks are failing' })
  await expect(failing).toBeVisible()
  await page.goto('/webhooks')
  await expect(page.getByRole('checkbox', { name: 'Use one URL for both' })).toBeChecked()
  await field(page, 'URL for both').fill('')
  await expect(field(page, 'URL for both')).toHaveAccessibleDescription(
    /^Saving an empty field removes the URL/,
  )
  await save(page)
  await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'No deals yet' })).toBeVisible()
  await expect(failing).toHaveCount(0)
})

test('a disabled endpoint shows the reason and its pending deliveries, and can be enabled again', async ({
  page,
  system,
}) => {
  const { partnerId, slug, ...admin } = await makeListener(system)
  await system.db
    .$client`update endpoints set failing_since = now() - interval '6 days', switched_off_at = now() - interval '1 day', switched_off_because = 'failing' where partner_id = ${partnerId}`
  await bringIn(system, { id: partnerId, slug, token: '' }, newDeals(2))
  await enter(page, admin, '/webhooks')
  const card = page.getByRole('region', { name: 'New deals', exact: true })
  await expect(card).toContainText('Switched off')
  await expect(card).toContainText('yesterday')
  await expect(card).toContainText('It accepted no event for 5 days.')
  await expect(card.getByRole('link', { name: '2 deliveries' })).toHaveAttribute(
    'href',
    '/deliveries?kind=create&state=waiting',
  )
  await card.getByRole('button', { name: 'Switch on' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Endpoint switched on. Waiting events are being sent.')).toBeVisible()
  await expect(page.getByRole('group', { name: 'Endpoint status' })).toBeFocused()
  await expect.poll(() => receiver.accepted.length).toBe(2)
  await expect(async () => {
    await page.reload()
    await expect(card).toContainText('Active', { timeout: 1000 })
  }).toPass()
  await expect(page.getByRole('region', { name: 'Deal updates', exact: true })).toContainText('Switched off')
  await system.db
    .$client`update endpoints set switched_off_at = now(), switched_off_because = 'suspended' where partner_id = ${partnerId}`
  await page.reload()
  await expect(card).toContainText(/Paused[^]*The installer suspended this partner\./)
  await expect(page.getByRole('button', { name: 'Switch on' })).toHaveCount(0)
})

test('an admin subscribes with a filter, sees what it would have sent, replays a deal as a test, and unsubscribes', async ({
  page,
  system,
}) => {
  const seen = watch(page)
  const { slug, ...admin } = await makeUser(system, { role: 'admin' })
  const { id } = (await findPartner(system.db, slug))!
  const [sold, lost] = newDeals(2)
  await bringIn(system, { id, slug, token: '' }, [
    { ...sold!, stage: 'Sold', state: 'Arizona', amount: 30_000 },
    { ...lost!, stage: 'Lost', amount: 5 },
  ])
  await enter(page, admin, '/webhooks?tab=subscriptions')
  await page.getByRole('button', { name: 'Add subscription' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add subscription' })
  const lookBack = dialog.getByRole('region', { name: 'Look back' })
  await expect(lookBack).toContainText(
    'In the last 30 days this would have sent 2 of 2 events: 2 entered, 0 in, 0 left.',
  )
  await dialog.locator('summary', { hasText: 'Stage' }).click()
  await dialog.getByRole('option', { name: 'Sold' }).click()
  await expect(lookBack).toContainText('would have sent 1 of 2 events: 1 entered')
  await dialog.getByRole('spinbutton', { name: 'Amount from' }).fill('40000')
  await expect(lookBack).toContainText('would have sent 0 of 2 events')
  await dialog.getByRole('spinbutton', { name: 'Amount from' }).fill('20000')
  await expect(lookBack).toContainText('would have sent 1 of 2 events')
  const more = dialog.getByRole('textbox', { name: 'More conditions' })
  await more.fill('hass=notes')
  await expect(more).toHaveAccessibleDescription('hass: unknown parameter; did you mean has?')
  await more.fill('')
  await expect(lookBack).toContainText('would have sent 1 of 2 events')
  await lookBack.getByRole('button', { name: 'Show withheld' }).click()
  await expect(lookBack.getByRole('list', { name: 'Withheld events' }).getByRole('listitem')).toContainText([
    `Deal ${lost!.id}`,
  ])
  expect(await violations(page)).toEqual([])
  await dialog.locator('summary', { hasText: 'Changed fields' }).click()
  await dialog.getByRole('option', { name: 'Notes', exact: true }).click()
  await dialog.getByRole('option', { name: 'Amount', exact: true }).click()
  await dialog.locator('summary', { hasText: 'Changed fields' }).click()
  await expect(dialog.locator('summary', { hasText: 'Changed fields' })).toContainText('Notes, Amount')
  const url = dialog.getByRole('textbox', { name: 'URL' })
  await url.fill('ftp://a.example/')
  await dialog.getByRole('button', { name: 'Add subscription' }).click()
  await expect(url).toHaveAccessibleDescription('The URL must be an http or https URL.')
  await dialog.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/sold`)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('CRM')
  await dialog.getByRole('button', { name: 'Add subscription' }).click()

  const subscription = page.getByRole('listitem').filter({ hasText: 'CRM' })
  await expect(subscription).toContainText('stage=Sold&amountMin=20000 · when amount or notes changes')
  await bringIn(system, { id, slug, token: '' }, [
    { ...sold!, notes: 'Signed' },
    { ...lost!, notes: 'Moved away' },
  ])
  await subscription.getByRole('button', { name: 'Sent and withheld' }).click()
  await expect(subscription).toContainText('1 of 2 events passed: 0 entered, 1 in, 0 left.')
  await expect.poll(() => receiver.requests.map(({ path }) => path)).toEqual(['/sold'])

  await field(page, 'URL to replay to').fill(`${receiver.url}/replayed`)
  await field(page, 'Deal ID').fill(String(sold!.id))
  const replay = page.getByRole('region', { name: 'Replay' })
  await replay.locator('summary', { hasText: 'Stage' }).click()
  await replay.getByRole('option', { name: 'Lost' }).click()
  await replay.getByRole('button', { name: 'Replay' }).click()
  await expect(page.getByText('No events to replay.')).toBeVisible()
  await replay.getByRole('option', { name: 'Lost' }).click()
  await replay.getByRole('textbox', { name: 'More conditions' }).fill('hass=notes')
  await replay.getByRole('button', { name: 'Replay' }).click()
  await expect(replay.getByRole('textbox', { name: 'More conditions' })).toHaveAccessibleDescription(
    'hass: unknown parameter; did you mean has?',
  )
  await replay.getByRole('textbox', { name: 'More conditions' }).fill('')
  await replay.getByRole('button', { name: 'Replay' }).click()
  await expect(page.getByText('2 events accepted.')).toBeVisible()
  const replayed = receiver.requests.filter(({ path }) => path === '/replayed')
  expect(replayed.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    { type: 'deal.created', test: true },
    { type: 'deal.updated', test: true },
  ])

  await act(subscription, 'Edit')
  const edited = page.getByRole('dialog', { name: 'Edit CRM' })
  await expect(edited.locator('summary', { hasText: 'Stage' })).toContainText('Sold')
  await expect(edited.getByRole('spinbutton', { name: 'Amount from' })).toHaveValue('20000')
  await edited.getByRole('button', { name: 'Cancel' }).click()
  await act(subscription, 'Delete')
  await page.getByRole('alertdialog', { name: 'Delete CRM?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(subscription).toHaveCount(0)
  expect(seen).toEqual([])
})

test('an operator sees the endpoints of a selected partner, and no secret', async ({ page, system }) => {
  const { slug } = await makeListener(system)
  await enter(page, await makeUser(system, { role: 'operator' }), '/webhooks')
  await expect(page.getByRole('heading', { name: 'Select a partner' })).toBeVisible()
  await page.goto(`/webhooks?partner=${slug}`)
  await expect(field(page, 'New deals')).toHaveValue(`${receiver.url}/created`)
  await page.getByRole('button', { name: 'Signing secret', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Signing secret' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: /reveal|rotate|retire/i })).toHaveCount(0)
})

async function inBothWidths(page: Page): Promise<void> {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 })
    if (width === 1280) expect(await violations(page)).toEqual([])
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(width)
  }
  await page.setViewportSize({ width: 1280, height: 740 })
}
