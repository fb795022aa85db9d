import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from '@playwright/test'
import { developerCookie } from '#app/theme.ts'
import { type DealRecord, type Person, dealFields } from '#server/deals/deal.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { type Access, carrySession, enter, hostileTexts, makeUser, signIn, watch } from './portal-user.ts'
import { addFile, bringIn, newIds } from './rest/deals.ts'
import { dealKeys } from './rest/interface.ts'
import type { RunningSystem, TestPartner } from './system.ts'

const dayMs = 86_400_000
/** Midnight this many days from today. */
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

/** A deal that waits for its permit. */
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

interface Member extends Access {
  partner: TestPartner
  id: bigint
}

/** Returns a member of a new partner whose only deal is this one. */
async function makeMember(
  system: RunningSystem,
  deal: Partial<DealRecord> = waiting,
  role: 'member' | 'admin' = 'member',
): Promise<Member> {
  const [id] = newIds(1) as [bigint]
  const partner = await system.makePartner({ deals: [{ ...deal, id }] })
  const access = { email: `kim@${partner.slug}.example`, password: 'a long enough password' }
  await createUser(system.db, { ...access, name: 'Kim Reed', role, partnerId: partner.id })
  return { ...access, partner, id }
}

async function open(page: Page, member: Member): Promise<void> {
  await enter(page, member, `/deals/${member.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const stepsOf = (page: Page) => part(page, 'Timeline').getByRole('listitem')

/** Shows what only developers need, as the switch of the account page does. */
const asDeveloper = ({ context, system }: { context: BrowserContext; system: RunningSystem }) =>
  context.addCookies([{ name: developerCookie, value: 'on', url: system.url }])

test.beforeEach(asDeveloper)

test.describe('a deal', () => {
  test('shows all that is known of it, in the first response, and leads back to the list as it was', async ({
    browser,
    page,
    system,
  }) => {
    const member = await makeMember(system)
    await test.step('A signed-out user is sent to sign-in and back', async () => {
      await page.goto(`/deals/${member.id}`)
      await expect(page).toHaveURL(`/sign-in?callbackUrl=%2Fdeals%2F${member.id}`)
      await signIn(page, member)
      await expect(page).toHaveURL(`/deals/${member.id}`)
    })
    await test.step('It shows its homeowner, address, what it is waiting for, its steps, money, people and every field', async () => {
      await expect(page).toHaveTitle('Garcia, Daniel – 8.80 kW · Partner Deals')
      const head = page.getByRole('article').locator('header')
      for (const text of [
        'Garcia, Daniel – 8.80 kW',
        '1208 W Palm Ln, Phoenix, AZ 85007',
        'Permit Submitted',
        'Outstanding items',
        '12 days',
        '$30,800',
        '8.80 kW',
        'Expected payment',
        'Too few paid deals to tell',
      ]) {
        await expect(head).toContainText(text)
      }
      await expect(head).toContainText(/Install planned\w+ \d+/)
      await expect(head).toContainText(/Waiting for permit · due \w+ \d+(?:, \d{4})? · 3 days late/)

      const step = (name: string) => stepsOf(page).filter({ has: page.getByText(name) })
      expect(
        await stepsOf(page).evaluateAll((steps) => steps.map((each) => (each as HTMLElement).dataset.state)),
      ).toEqual([
        'done',
        'done',
        'done',
        'done',
        'done',
        'done',
        'late',
        'planned',
        'toDo',
        'toDo',
        'toDo',
        'toDo',
      ])
      await expect(step('Site survey')).toContainText('1 day later')
      await expect(step('Site survey')).toContainText(/Requested .*Completed /)
      await expect(step('Site survey')).toContainText('5 days')
      await expect(step('Permit')).toContainText('3 days late')
      await expect(step('Install')).toContainText('Planned')
      await expect(part(page, 'Timeline')).toContainText('4 of 10 steps done')

      const said: Record<string, (string | RegExp)[]> = {
        Money: [
          '$30,800.00',
          '$3.50',
          '$3.10',
          '$0.40',
          '$3,520.00',
          'Main panel upgrade',
          'Critter guard',
          'GoodLeap',
        ],
        System: [
          '8.80 kW',
          '22 × Qcells Q.PEAK DUO 400',
          '22 × Enphase IQ8M',
          '1 × Tesla Powerwall 3',
          'Composition shingle',
          'A-204417',
          'B-88012',
          'C-5521',
        ],
        HOA: ['Encanto Village Association', 'Approved'],
        Checklist: [
          'Outstanding items',
          /Battery\s*Yes/,
          /Permit\s*Required/,
          'Not marked installed',
          'M2 not marked approved',
        ],
        Homeowner: ['Daniel Garcia', 'Daniel G. Garcia', 'Arizona Public Service', '33.4484,-112.0740'],
      }
      for (const [name, texts] of Object.entries(said))
        for (const text of texts) await expect(part(page, name)).toContainText(text)
      const proposal = page.getByRole('link', { name: 'design.example/proposals/204417' })
      await expect(proposal).toHaveAttribute('href', 'https://design.example/proposals/204417')
      await expect(proposal).toHaveAttribute('target', '_blank')
      await expect(proposal).toHaveAttribute('rel', 'noopener noreferrer')
      expect(await part(page, 'Notes').getByText('Gate code 4471.').innerText()).toBe(
        'Gate code 4471.\nDog in the yard.',
      )

      await expect(page.getByRole('link', { name: '(602) 555-0147' })).toHaveAttribute(
        'href',
        'tel:6025550147',
      )
      await expect(page.getByRole('link', { name: '(602) 555-0111' })).toHaveAttribute(
        'href',
        'tel:6025550111',
      )
      await expect(page.getByRole('link', { name: 'board@encantovillage.example' })).toHaveAttribute(
        'href',
        'mailto:board@encantovillage.example',
      )
      const people = part(page, 'People')
      await expect(people.getByRole('link', { name: 'maria.alvarez@brightroof.example' })).toHaveAttribute(
        'href',
        'mailto:maria.alvarez@brightroof.example',
      )
      for (const text of [
        'Maria Alvarez',
        'Project Management',
        'Jonathan Tran',
        'not an address',
        'Jordan Reyes',
        'Alex Kim',
        'Sunline Home Energy',
      ])
        await expect(people).toContainText(text)
      expect(await people.getByRole('link').count()).toBe(1)

      const fields = page.getByRole('group').filter({ hasText: 'All fields' })
      await fields.getByText('All fields').click()
      const names = await fields.getByRole('rowheader').allInnerTexts()
      expect([...new Set(names.map((name) => name.split('.')[0]))]).toEqual(dealKeys)
      await expect(fields.getByRole('row', { name: 'owner.userId 9007199254740993' })).toBeVisible()
      await expect(
        fields.getByRole('row', { name: /^engineeringCompleted \d{4}-\d\d-\d\dT00:00:00\.000Z$/ }),
      ).toBeVisible()
      await expect(fields.getByRole('row', { name: 'hasBattery true' })).toBeVisible()
    })
    await test.step('It is complete in the first response, before any script runs', async () => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        baseURL: system.url,
        storageState: await page.context().storageState(),
      })
      const plain = await context.newPage()
      await plain.goto(`/deals/${member.id}`)
      await expect(plain.getByRole('heading', { level: 1 })).toHaveText('Garcia, Daniel – 8.80 kW')
      await expect(part(plain, 'History').getByText('Deal added')).toBeVisible()
      await expect(part(plain, 'System')).toContainText('A-204417')
      await context.clearCookies({ name: developerCookie })
      await plain.reload()
      await expect(part(plain, 'System')).toContainText('8.80 kW')
      await expect(part(plain, 'System')).not.toContainText('A-204417')
      await expect(plain.getByText('All fields')).toHaveCount(0)
      await context.close()
    })
    await test.step('Back returns to the list as it was', async () => {
      await page.goto('/deals?q=garcia&stage=Permit%20Submitted')
      await page.getByRole('link', { name: 'Garcia, Daniel' }).first().click()
      await expect(page).toHaveURL(`/deals/${member.id}`)
      await page.getByRole('link', { name: 'Back to deals' }).click()
      await expect(page).toHaveURL(/\/deals\?q=garcia&stage=Permit(?:\+|%20)Submitted/)
      await expect(page.getByRole('link', { name: 'Garcia, Daniel' }).first()).toBeFocused()
      await page.goForward()
      await expect(page).toHaveURL(`/deals/${member.id}`)
      await expect(page.locator('#content')).toBeFocused()
    })
  })

  test('is used by keyboard alone, can be copied, and has an agreement to download', async ({
    page,
    context,
    system,
  }) => {
    const member = await makeMember(system, waiting, 'admin')
    const content = Buffer.from(`%PDF-1.4 ${'x'.repeat(48_000)}`)
    const hicAgreement = await addFile(system, member.id, { name: 'Agreement Garcia.pdf', content })
    await bringIn(system, member.partner, [{ id: member.id, hicAgreement }])
    await open(page, member)
    await test.step('All of it is reached by keyboard alone', async () => {
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
    await test.step('Coordinates are copied', async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      await page.getByRole('button', { name: 'Copy coordinates' }).click()
      await expect.poll(copied).toBe('33.4484,-112.0740')
    })
    await test.step('They are shown where the browser does not allow copying', async () => {
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
    await test.step('The agreement can be downloaded', async () => {
      await expect(part(page, 'Files')).toContainText('Agreement Garcia.pdf')
      await expect(part(page, 'Files')).toContainText('Agreement · 48 KB')
      const coming = page.waitForEvent('download')
      await part(page, 'Files').getByRole('button', { name: 'Download' }).click()
      const download = await coming
      expect(download.suggestedFilename()).toBe('Agreement Garcia.pdf')
      expect((await readFile(await download.path())).equals(content)).toBe(true)
      await expect(page).toHaveURL(`/deals/${member.id}`)
    })
    await test.step('An agreement that is removed is reported missing', async () => {
      await system.db.$client`delete from files where id = ${hicAgreement}`
      await part(page, 'Files').getByRole('button', { name: 'Download' }).click()
      await expect(part(page, 'Files').getByRole('alert')).toContainText('file is missing')
      await expect(page).toHaveURL(`/deals/${member.id}`)
    })
    await test.step('An agreement that never existed is reported missing', async () => {
      await bringIn(system, member.partner, [{ id: member.id, hicAgreement: 'hic_nowhere' }])
      await page.reload()
      await expect(part(page, 'Files')).toContainText('The agreement’s file is missing.')
    })
  })

  test('without data shows placeholders', async ({ page, system }) => {
    const member = await makeMember(system, {})
    await open(page, member)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Deal ${member.id}`)
    for (const text of [
      'No stage',
      'No address',
      'Next step not known',
      'No notes yet.',
      'No people recorded.',
      'No amounts recorded.',
      'No system details.',
    ]) {
      await expect(page.getByText(text)).toBeVisible()
    }
    expect(await page.getByRole('article').innerText()).not.toMatch(/null|undefined|NaN|Invalid/)
  })
})

test.describe('the history', () => {
  test('lists every event with old and new values, newest first, twenty at a time', async ({
    page,
    system,
  }) => {
    const member = await makeMember(system)
    for (let amount = 1; amount <= 42; amount++)
      await bringIn(system, member.partner, [{ id: member.id, amount }])
    await bringIn(system, member.partner, [{ id: member.id, amount: waiting.amount }])
    await test.step('The newest event comes first, with old and new values', async () => {
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
    await test.step('Older events are loaded twenty at a time', async () => {
      const events = part(page, 'History').getByRole('heading', { level: 3 })
      await expect(events).toHaveCount(20)
      await part(page, 'History').getByRole('button', { name: 'Show more' }).click()
      await expect(events).toHaveCount(40)
      await part(page, 'History').getByRole('button', { name: 'Show more' }).click()
      await expect(events).toHaveCount(45)
      await expect(events.last()).toHaveText('Deal added')
      await expect(part(page, 'History').getByRole('button', { name: 'Show more' })).toHaveCount(0)
    })
  })
})

test.describe('hostile text', () => {
  const texts = [
    ...hostileTexts,
    'data:text/html,<script>alert(1)</script>',
    '//evil.example/x',
    'vbscript:x',
    'https://a@evil.example/',
  ]
  const textFields = Object.entries(dealFields)
    .filter(([, { kind }]) => kind === 'text')
    .map(([name]) => name)

  test('is shown as text and never as a link in every field, before and after a change', async ({
    page,
    system,
  }) => {
    const seen = watch(page)
    const filled = (shift: number) => ({
      ...Object.fromEntries(textFields.map((name, index) => [name, texts[(index + shift) % texts.length]])),
      owner: {
        ...maria,
        email: texts[shift]!,
        firstName: texts[shift + 1]!,
        lastName: texts[shift + 2]!,
        teams: texts[shift + 3]!,
        crmTeamId: texts[shift]!,
      },
      // contact.test.ts covers which texts become links.
      proposalLink: 'javascript:alert(5)',
    })
    const member = await makeMember(system, filled(0))
    await bringIn(system, member.partner, [{ id: member.id, ...filled(1) }])
    await open(page, member)
    await page.getByText('All fields').click()
    await expect(page.getByRole('row').first()).toBeVisible()
    for (const text of texts) expect(await page.getByRole('article').innerText()).toContain(text)
    await expect(part(page, 'System')).toContainText('javascript:alert(5)')
    await expect(part(page, 'System').getByRole('link')).toHaveCount(0)
    expect(
      await page.evaluate(
        () =>
          document.querySelectorAll(
            'main :is(script, img, iframe, object, embed, [onload], [onerror], [onfocus])',
          ).length,
      ),
    ).toBe(0)
    const hrefs = await page
      .locator('main a')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
    const maps = 'https://www.google.com/maps/search/?api=1&query='
    expect(hrefs.filter((href) => !href.startsWith(`${system.url}/deals`) && !href.startsWith(maps))).toEqual(
      [],
    )
    expect(seen).toEqual([])
  })
})

test('an invalid, unknown or foreign id gets the same response', async ({ page, system }) => {
  const theirs = await makeMember(system, { ...waiting, dealname: 'Theirs, Theo' })
  await carrySession(page, await makeMember(system))
  for (const id of [String(theirs.id), '1', '-5', 'abc', '1e3', '99999999999999999999', '1%3Cscript%3E']) {
    const answer = await page.request.get(`/deals/${id}`)
    expect(answer.status(), id).toBe(404)
    expect(await answer.text()).not.toContain('Theirs')
  }
  const texts: string[] = []
  for (const id of [String(theirs.id), '1', 'abc']) {
    expect((await page.goto(`/deals/${id}`))!.status(), id).toBe(404)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deal not found')
    texts.push(await page.locator('body').innerText())
  }
  expect(new Set(texts).size).toBe(1)
  for (const procedure of ['deals.get', 'deals.history']) {
    const answer = await page.request.get(
      `/api/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify({ json: { id: String(theirs.id) } }))}`,
    )
    expect(answer.status()).toBe(404)
    expect(await answer.text()).not.toContain('Theirs')
  }
})

test('on a phone shows call, text, e-mail and map first, each large enough to tap', async ({
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

test('an operator enters the phone number of a project manager once, and partners call it', async ({
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

test('fits a narrow screen, however long its texts are', async ({ page, system }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const long = 'x'.repeat(600)
  const member = await makeMember(system, {
    ...waiting,
    dealname: long,
    stage: long,
    pipeline: long,
    notes: long,
    proposalLink: `https://design.example/${long}`,
    closerName: long,
    hoaEmail: `${'y'.repeat(60)}@${'z'.repeat(180)}.example`,
  })
  await bringIn(system, member.partner, [{ id: member.id, notes: `${long}2`, stage: 'On Hold' }])
  await open(page, member)
  const name = page.getByRole('heading', { level: 1 })
  expect(await name.evaluate((head) => head.scrollHeight - head.clientHeight)).toBeLessThanOrEqual(1)
  await page.getByText('All fields').click()
  await expect(page.getByRole('rowheader', { name: 'dealname' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  for (const name of [
    'Timeline',
    'Notes',
    'Homeowner',
    'People',
    'Money',
    'System',
    'HOA',
    'Checklist',
    'History',
  ])
    await expect(part(page, name)).toBeVisible()
})
