import type { Browser, Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import type { Role } from '#server/accounts/role.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { type Access, cookieOf, enter, makeUser, watch, textOf } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { bringIn } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

/** Creates a partner with these deals and a user. Null leaves a zone at its default. */
async function makeUserIn(
  system: RunningSystem,
  deals: Omit<DealRecord, 'id'>[],
  {
    partner: ofPartner = null,
    own = null,
    role = 'member',
  }: { partner?: string | null; own?: string | null; role?: Role } = {},
) {
  const user = await makeUser(system, { role, deals })
  const sql = system.db.$client
  await sql`update partners set time_zone = ${ofPartner} where id = ${user.partner.id}`
  await sql`update users set time_zone = ${own} where id = ${user.id}`
  return user
}

/** Opens the portal in a browser whose clock is in this zone. */
async function openIn(
  browser: Browser,
  system: RunningSystem,
  timezoneId: string,
  access: Access,
  path: string,
) {
  const context = await browser.newContext({ baseURL: system.url, timezoneId })
  const page = await context.newPage()
  const seen = watch(page)
  await enter(page, access, path)
  return { page, seen }
}

// Nov 6, 4:53 PM in Las Vegas. The permit has a date without a time.
const funded = '2024-11-07T00:53:00.000Z'
const deal = {
  dealname: 'Lopez, Ana',
  stage: 'Permit Received',
  createDate: '2024-10-01T17:00:00.000Z',
  permitReceived: '2024-11-05T00:00:00.000Z',
  fundingSubmitted: funded,
}
const list = '/deals?columns=dealname,permitReceived,fundingSubmitted'

async function readFile(page: Page, search: string): Promise<string[][]> {
  const response = await page.request.get(`/deals/export?${search}`)
  expect(response.status()).toBe(200)
  return parse(await response.text(), { bom: true })
}

/** Expects list, filter, file, deal and history to show that the deal was funded on this day. */
async function expectFunded(
  { page, seen }: Awaited<ReturnType<typeof openIn>>,
  id: bigint,
  { day, iso, zone, clock, short }: { day: string; iso: string; zone: string; clock: string; short: RegExp },
) {
  const row = page.getByRole('row', { name: /Lopez, Ana/ })
  await expect(row).toContainText('Nov 5, 2024')
  await expect(row).toContainText(day)
  await expect(row.locator(`time[datetime="${funded}"]`)).toHaveAttribute('title', short)

  expect(await readFile(page, 'columns=dealname,permitReceived,fundingSubmitted')).toEqual([
    ['Deal', 'Full address', `Permit received (${zone})`, `Funding submitted (${zone})`, 'Deal ID'],
    ['Lopez, Ana', '', '2024-11-05', clock, expect.stringMatching(/^\d+$/)],
  ])

  const found = (filter: string) => readFile(page, `columns=dealname&${filter}`)
  const other = iso.endsWith('06') ? '2024-11-07' : '2024-11-06'
  expect(await found(`fundingSubmitted=${iso}..${iso}`)).toHaveLength(2)
  expect(await found('permitReceived=2024-11-05..2024-11-05')).toHaveLength(2)
  expect(await found(`fundingSubmitted=${other}..${other}`)).toHaveLength(1)
  await page.goto(`${list}&fundingSubmitted=${iso}..${iso}`)
  await expect(row).toBeVisible()

  await page.goto(`/deals/${id}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline.locator(`time[datetime="${funded}"]`)).toHaveText(day)
  await expect(timeline.locator('time[datetime^="2024-11-05"]')).toHaveText('Nov 5, 2024')
  await expect(page.getByRole('region', { name: 'History' })).toContainText(short)
  expect(seen).toEqual([])
  await page.context().close()
}

// In the browser's zone, the deal was funded on another day.
test("a browser in Los Angeles shows days in the user's own time zone", async ({ browser, system }) => {
  const user = await makeUserIn(system, [{ ...deal, fundingSubmitted: null }], {
    partner: 'America/Los_Angeles',
    own: 'UTC',
  })
  await bringIn(system, user.partner, [{ id: user.ids[0]!, fundingSubmitted: funded }])
  await expectFunded(await openIn(browser, system, 'America/Los_Angeles', user, list), user.ids[0]!, {
    day: 'Nov 7, 2024',
    iso: '2024-11-07',
    zone: 'UTC',
    clock: '2024-11-07 00:53',
    short: /Nov 7, 2024, 12:53\sAM UTC/,
  })
})

// The date in the first zone is always later than in the second.
for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
  test(`a plan for today in ${zone} is shown as today there`, async ({ system }) => {
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format()
    const planned = {
      dealname: 'Lopez, Ana',
      stage: 'Install Scheduled',
      permitReceived: '2024-11-05T00:00:00.000Z',
      installedScheduled: `${today}T00:00:00.000Z`,
    }
    const user = await makeUserIn(system, [planned], { own: zone })
    const headers = { cookie: await cookieOf(system, user) }
    const read = async (path: string) => (await ask(system, `GET ${path}`, { headers })).text
    expect(textOf(await read(`/deals/${user.ids[0]}`))).toMatch(/planned for [^.]* \(today\)/)
    for (const days of ['next-7-days', `..${today}`])
      expect(
        parse(await read(`/deals/export?columns=dealname&installedScheduled=${days}`), { bom: true }),
      ).toHaveLength(2)
    const home = textOf(await read('/'))
    expect(home).toContain('Lopez, Ana')
    expect(home).not.toContain('Install overdue')
  })
}

test('users and admins choose time zones on the account page, and the portal changes immediately', async ({
  browser,
  system,
}) => {
  const user = await makeUserIn(system, [deal], { partner: 'America/Los_Angeles', role: 'admin' })
  const { page, seen } = await openIn(browser, system, 'UTC', user, '/account')
  const panel = page.getByRole('region', { name: 'Profile' })
  const own = panel.getByLabel('Your time zone')
  const ofPartner = panel.getByLabel(/^Default time zone of /)
  await expect(own).toHaveAccessibleDescription('Default: Pacific Time (Los Angeles)')
  await own.selectOption({ label: 'Hawaii Time (Honolulu)' })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Changes saved.')).toBeVisible()
  await expect(page.getByText(/\bHST\b/)).not.toHaveCount(0)
  await page.reload()
  await expect(own).toHaveValue('Pacific/Honolulu')
  await ofPartner.selectOption({ label: 'Eastern Time (New York)' })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Changes saved.')).toBeVisible()
  await expect(own).toHaveAccessibleDescription('Default: Eastern Time (New York)')
  await own.selectOption({ index: 0 })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText(/\bE[SD]T\b/)).not.toHaveCount(0)
  await page.goto(list)
  await expect(page.locator(`time[datetime="${funded}"]`)).toHaveAttribute(
    'title',
    /Nov 6, 2024, 7:53\sPM EST/,
  )
  expect(seen).toEqual([])
  await page.context().close()
})

test("an operator sets a partner's time zone, and sees its days while viewing as the partner", async ({
  page,
  system,
}) => {
  const user = await makeUserIn(system, [deal])
  const access = await makeUser(system, { role: 'operator', name: 'Op' })
  await enter(page, access, `/partners?q=${user.slug}`)
  const row = page.getByRole('row', { name: new RegExp(user.slug) })
  await expect(row).toContainText('UTC')
  await row.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Time zone' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Time zone').selectOption({ label: 'Mountain Time (Denver)' })
  await dialog.getByRole('button', { name: 'Save time zone' }).click()
  await expect(dialog).toBeHidden()
  await expect(row).toContainText('Mountain Time (Denver)')
  await page.goto(`${list}&partner=${user.slug}`)
  await expect(page.locator(`time[datetime="${funded}"]`)).toHaveAttribute(
    'title',
    /Nov 6, 2024, 5:53\sPM MST/,
  )
  await page.goto(`/audit?q=${user.slug}`)
  await expect(page.getByRole('main')).toContainText(`Changed the time zone of a partner: ${user.slug}`)
})
