import type { BrowserContext, Page } from '@playwright/test'
import { developerCookie } from '#app/theme.ts'
import type { DealRecord, Person } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { cookieOf, enter, makeUser, signedInUser, textOf } from './portal-user.ts'
import { ask } from './rest/client.ts'
import { addFile, bringIn } from './rest/deals.ts'
import { dealKeys } from './rest/interface.ts'
import type { RunningSystem } from './system.ts'

const dayMs = 86_400_000
/** Returns midnight this many days from today. */
const inDays = (days: number) => new Date((Math.floor(Date.now() / dayMs) + days) * dayMs).toISOString()

const maria: Person = {
  id: 41203n,
  userId: 9007199254740993n,
  email: 'maria.alvarez@brightroof.example',
  firstName: 'Maria',
  lastName: 'Alvarez',
  teams: 'Project Management',
  crmTeamId: '5510',
  createdAt: inDays(-400),
  updatedAt: inDays(-30),
}

/** A deal that is waiting for its permit. */
const waiting: Omit<DealRecord, 'id'> = {
  owner: maria,
  projectManager: { ...maria, id: 7n, firstName: 'Jonathan', lastName: 'Tran', email: 'not an address' },
  dealname: 'Garcia, Daniel – 8.80 kW',
  firstName: 'Daniel',
  lastName: 'Garcia',
  coordinates: '33.4484,-112.0740',
  state: 'AZ',
  streetAddress: '1208 W Palm Ln',
  city: 'Phoenix',
  zipCode: '85007',
  primaryPhone: '(602) 555-0147',
  nameOnUb: 'Daniel G. Garcia',
  utilityName: 'Arizona Public Service',
  stage: 'Permit Submitted',
  stageId: 'permit-submitted',
  pipelineId: 'residential',
  pipeline: 'Residential Solar',
  amount: 30800,
  totalPpw: 3.5,
  basePpw: 3.1,
  adderPpw: '0.40',
  adderCost: 3520,
  adders: 'Main panel upgrade, Critter guard',
  systemSize: '8.80',
  roofType: 'Composition shingle',
  designToolAProjectId: 'A-204417',
  designToolBProjectId: 'B-88012',
  designToolCProjectId: 'C-5521',
  proposalLink: 'https://design.example/proposals/204417',
  battery: 'Tesla Powerwall 3',
  inverterType: 'Enphase IQ8M',
  moduleType: 'Qcells Q.PEAK DUO 400',
  numberOfBatteries: '1',
  numberOfInverters: '22',
  numberOfModules: '22',
  closerName: 'Jordan Reyes',
  setterName: 'Alex Kim',
  dealer: 'Sunline Home Energy',
  lender: 'GoodLeap',
  loanAmount: '30800.00',
  hoaName: 'Encanto Village Association',
  hoaEmail: 'board@encantovillage.example',
  hoaNumber: '(602) 555-0111',
  notes: 'Gate code 4471.\nDog in the yard.',
  hasBattery: true,
  hasHoa: true,
  hasOutstandingItems: true,
  installCompleted: false,
  m2Approved: false,
  permitRequired: true,
  inspectionRequired: true,
  lastModified: inDays(-2),
  createDate: inDays(-60),
  timeInCurrentStage: inDays(-12),
  siteSurveyRequested: inDays(-59),
  siteSurveyCompleted: inDays(-54),
  cadRequested: inDays(-53),
  cadCompleted: inDays(-50),
  engineeringRequested: inDays(-49),
  engineeringCompleted: inDays(-40),
  ntpApproved: inDays(-30),
  hoaApprovedDate: inDays(-20),
  permitSubmitted: inDays(-12),
  expectedPermitDeliveryDate: inDays(-3),
  installedScheduled: inDays(9),
  notesLastUpdated: inDays(-2),
}

/** Creates a partner with this deal only. Returns a member of the partner. */
async function makeMember(
  system: RunningSystem,
  deal: Partial<DealRecord> = waiting,
  role: 'member' | 'admin' = 'member',
) {
  const { ids, ...user } = await makeUser(system, { role, name: 'Kim Reed', deals: [deal] })
  return { ...user, id: ids[0]! }
}

type Member = Awaited<ReturnType<typeof makeMember>>

async function open(page: Page, member: Member): Promise<void> {
  await enter(page, member, `/deals/${member.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** Shows developer features, like the switch on the account page does. */
const asDeveloper = ({ context, system }: { context: BrowserContext; system: RunningSystem }) =>
  context.addCookies([{ name: developerCookie, value: 'on', url: system.url }])

test.beforeEach(asDeveloper)

test.describe('the page of a deal', () => {
  test('shows all data in the first response; ids and raw fields only to developers', async ({ system }) => {
    const member = await makeMember(system)
    const cookie = await cookieOf(system, member)
    const read = async (more: string) =>
      (await ask(system, `GET /deals/${member.id}`, { headers: { cookie: cookie + more } })).text
    const html = await read(`; ${developerCookie}=on`)
    const text = textOf(html).replaceAll(/ +/g, ' ')
    for (const part of [
      '1208 W Palm Ln, Phoenix, AZ 85007',
      '12 days',
      '$30,800',
      /Install planned \w+ \d+/,
      /Waiting for permit · due \w+ \d+(?:, \d{4})? · 3 days late/,
      '4 of 10 steps done',
      /Requested \w+ \d+.* Completed /,
      '$3,520.00',
      'Critter guard',
      'GoodLeap',
      '22 × Enphase IQ8M',
      'Composition shingle',
      'A-204417',
      'Encanto Village Association',
      /Approval Approved/,
      /Battery Yes/,
      'M2 not marked approved',
      'Daniel G. Garcia',
      'Arizona Public Service',
      '33.4484,-112.0740',
      'Maria Alvarez · Project Management',
      'not an address',
      'Jordan Reyes',
      'Sunline Home Energy',
      'Gate code 4471.\nDog in the yard.',
      'Deal added',
      'owner.userId 9007199254740993',
      /engineeringCompleted \d{4}-\d\d-\d\dT00:00:00\.000Z/,
      'hasBattery true',
    ])
      expect(text).toMatch(typeof part === 'string' ? new RegExp(RegExp.escape(part)) : part)
    expect([...html.matchAll(/data-state="(\w+)"/g)].map(([, state]) => state)).toEqual([
      ...Array<string>(6).fill('done'),
      'late',
      'planned',
      ...Array<string>(4).fill('toDo'),
    ])
    for (const href of [
      'https://design.example/proposals/204417',
      'tel:6025550147',
      'mailto:board@encantovillage.example',
      'mailto:maria.alvarez@brightroof.example',
    ])
      expect(html).toContain(`href="${href}"`)
    expect(html).not.toContain('mailto:not')
    const names = [...html.matchAll(/<th scope="row"[^>]*>([^<.]*)/g)].map(([, name]) => name)
    expect([...new Set(names)]).toEqual(dealKeys)

    const plain = textOf(await read(''))
    expect(plain).toContain('8.80 kW')
    for (const part of ['A-204417', 'All fields']) expect(plain).not.toContain(part)
  })

  test('says when it will be paid, and returns to the list in its previous state', async ({
    page,
    system,
  }) => {
    const member = await makeMember(system)
    await enter(page, member, '/deals?q=garcia&stage=Permit+Submitted')
    await page.getByRole('link', { name: 'Garcia, Daniel' }).first().click()
    await expect(page).toHaveURL(`/deals/${member.id}`)
    await expect(page).toHaveTitle('Garcia, Daniel – 8.80 kW · Partner Deals')
    await expect(page.getByRole('article').locator('header')).toContainText('Too few paid deals to tell')
    await page.getByRole('link', { name: 'Back to deals' }).click()
    await expect(page).toHaveURL(/\/deals\?q=garcia&stage=Permit(?:\+|%20)Submitted/)
    await expect(page.getByRole('link', { name: 'Garcia, Daniel' }).first()).toBeFocused()
    await page.goForward()
    await expect(page).toHaveURL(`/deals/${member.id}`)
    await expect(page.locator('#content')).toBeFocused()
  })

  test('works by keyboard alone, copies values, and reports a missing agreement', async ({
    page,
    context,
    system,
  }) => {
    const member = await makeMember(system, waiting, 'admin')
    const content = Buffer.alloc(48_000)
    const hicAgreement = await addFile(system, member.id, { name: 'Agreement Garcia.pdf', content })
    await bringIn(system, member.partner, [{ id: member.id, hicAgreement }])
    await open(page, member)
    await test.step('The keyboard alone reaches everything on the page', async () => {
      await page.locator('#content').focus()
      const reached: string[] = []
      for (let presses = 0; presses < 24; presses++) {
        await page.keyboard.press('Tab')
        reached.push(await page.evaluate(() => (document.activeElement as HTMLElement).innerText.trim()))
        if (reached.at(-1)!.startsWith('All fields')) break
      }
      for (const name of [
        'Back to deals',
        '(602) 555-0147',
        'maria.alvarez@brightroof.example',
        'All fields',
      ])
        expect(
          reached.some((text) => text.startsWith(name)),
          name,
        ).toBe(true)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('rowheader', { name: 'dealname' })).toBeVisible()
    })
    await test.step('The coordinates can be copied', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await page.getByRole('button', { name: 'Copy coordinates' }).click()
      await expect.poll(copied).toBe('33.4484,-112.0740')
    })
    await test.step('The coordinates are shown if the browser does not allow copying', async () => {
      await page.evaluate(() => {
        Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })
      })
      await page.getByRole('button', { name: 'Copy coordinates' }).click()
      const text = page.getByRole('dialog').getByRole('textbox')
      await expect(text).toHaveValue('33.4484,-112.0740')
      expect(
        await text.evaluate((area: HTMLTextAreaElement) =>
          area.value.slice(area.selectionStart, area.selectionEnd),
        ),
      ).toBe('33.4484,-112.0740')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('button', { name: 'Copy coordinates' })).toBeFocused()
    })
    await expect(part(page, 'Files')).toContainText('Agreement · 48 KB')
    await test.step('A removed agreement is reported missing', async () => {
      await system.db.$client`delete from files where id = ${hicAgreement}`
      await part(page, 'Files').getByRole('button', { name: 'Download' }).click()
      await expect(part(page, 'Files').getByRole('alert')).toContainText('file is missing')
    })
    await test.step('An agreement that never existed is reported missing', async () => {
      await bringIn(system, member.partner, [{ id: member.id, hicAgreement: 'hic_nowhere' }])
      await page.reload()
      await expect(part(page, 'Files')).toContainText('The agreement’s file is missing.')
    })
  })
})

test.describe('the history of a deal', () => {
  test('lists every event with old and new values, newest first, twenty at a time', async ({
    page,
    system,
  }) => {
    const member = await makeMember(system)
    for (let amount = 1; amount <= 22; amount++)
      await bringIn(system, member.partner, [{ id: member.id, amount }])
    await bringIn(system, member.partner, [{ id: member.id, amount: waiting.amount }])
    await test.step('The newest event comes first, with its old and new values', async () => {
      await bringIn(system, member.partner, [
        {
          id: member.id,
          amount: 32000.5,
          stage: 'Install Scheduled',
          permitReceived: inDays(0),
          hasOutstandingItems: false,
          owner: null,
          notes: 'New\nlines',
          lastModified: inDays(0),
        },
      ])
      await open(page, member)
      const events = part(page, 'History').getByRole('list', { name: 'Events' }).getByRole('listitem')
      await expect(events).toHaveCount(20)
      const newest = events.first()
      for (const text of [
        '$30,800.00',
        '$32,000.50',
        'Permit Submitted',
        'Install Scheduled',
        'Maria Alvarez',
        'cleared, was',
        'Yes',
        'No',
        'New\nlines',
      ])
        await expect(newest).toContainText(text, { useInnerText: true })
      await expect(newest.getByRole('heading')).toHaveText('Moved to Install Scheduled')
      await expect(newest.getByRole('term')).toHaveText([
        'Account manager',
        'Stage',
        'Amount',
        'Notes',
        'Outstanding items',
        'Permit received',
      ])
    })
    await test.step('Older events load twenty at a time', async () => {
      const events = part(page, 'History').getByRole('heading', { level: 3 })
      await expect(events).toHaveCount(20)
      await part(page, 'History').getByRole('button', { name: 'Show more' }).click()
      await expect(events).toHaveCount(25)
      await expect(events.last()).toHaveText('Deal added')
      await expect(part(page, 'History').getByRole('button', { name: 'Show more' })).toHaveCount(0)
    })
  })
})

test('invalid, unknown and foreign ids get the same response', async ({ system }) => {
  const theirs = await makeMember(system, { ...waiting, dealname: 'Theirs, Theo' })
  const { partner } = await makeMember(system)
  const headers = { cookie: await signedInUser(system, 'member', partner.id) }
  const input = encodeURIComponent(JSON.stringify({ json: { id: String(theirs.id) } }))
  for (const path of [
    ...[String(theirs.id), '1', '-5', 'abc', '1e3', '99999999999999999999', '1%3Cscript%3E'].map(
      (id) => `/deals/${id}`,
    ),
    `/api/trpc/deals.get?input=${input}`,
    `/api/trpc/deals.history?input=${input}`,
  ]) {
    const { status, text } = await ask(system, `GET ${path}`, { headers })
    expect(status, path).toBe(404)
    expect(text).toMatch(path.startsWith('/api/') ? /NOT_FOUND/ : /Deal not found/)
    expect(text).not.toContain('Theirs')
  }
})

test('on a phone, shows call, text, e-mail and map first, each large enough to tap', async ({
  page,
  system,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, await makeMember(system, { ...waiting, projectManager: maria }))
  const links = page.getByRole('list', { name: 'Contact' }).getByRole('link')
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    'tel:6025550147',
    'sms:6025550147',
    'mailto:maria.alvarez@brightroof.example',
    expect.stringMatching(/^https:\/\/www\.google\.com\/maps\/search\/\?api=1&query=1208%20W%20Palm%20Ln/),
  ])
  expect((await links.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Call homeowner',
    'Text homeowner',
    'E-mail Maria',
    'Map',
  ])
  for (const link of await links.all()) {
    const { y, width, height } = (await link.boundingBox())!
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    expect(y + height).toBeLessThan(400)
  }
  const address = part(page, 'Homeowner').getByRole('link', { name: /1208 W Palm Ln/ })
  expect((await address.boundingBox())!.height).toBeGreaterThanOrEqual(44)
})

test("an operator enters a project manager's phone number once, and partners can call it", async ({
  page,
  browser,
  system,
}) => {
  const phone = `(602) 555-${String(Date.now()).slice(-4)}`
  const email = `maria.${crypto.randomUUID()}@brightroof.example`
  const member = await makeMember(system, { ...waiting, owner: null, projectManager: { ...maria, email } })
  await enter(page, await makeUser(system, { role: 'operator' }), `/deals/${member.id}`)
  await part(page, 'People').getByRole('button', { name: 'Edit phone numbers' }).click()
  await part(page, 'People').getByRole('button', { name: 'Add phone number of Maria Alvarez' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Phone number').fill('call me')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByLabel('Phone number')).toHaveAccessibleDescription(/^Enter a phone number/)
  await dialog.getByLabel('Phone number').fill(phone)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(part(page, 'People').getByRole('link', { name: phone })).toBeVisible()

  const phonePage = await (await browser.newContext({ baseURL: system.url })).newPage()
  await phonePage.setViewportSize({ width: 390, height: 844 })
  await open(phonePage, member)
  await expect(part(phonePage, 'People').getByRole('link', { name: phone })).toBeVisible()
  await expect(phonePage.getByRole('button', { name: /phone number/ })).toHaveCount(0)
  await expect(phonePage.getByRole('link', { name: 'Call Maria' })).toHaveAttribute(
    'href',
    `tel:${phone.replaceAll(/\D/g, '')}`,
  )
  await phonePage.context().close()
})
