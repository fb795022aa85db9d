import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { users } from '#db/schema/accounts.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { createUser } from './create-user.ts'
import { expect, test } from './fixtures.ts'
import { enter, hostileTexts, makeUser, signIn, violations, watch } from './portal-user.ts'
import { newIds } from './rest/deals.ts'
import type { RunningSystem } from './system.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Returns a member of a new partner with these deals, who last visited two days ago, before any of them. */
async function makeMember(system: RunningSystem, deals: Partial<DealRecord>[]) {
  const ids = newIds(deals.length)
  const partner = await system.makePartner({
    deals: deals.map((deal, index) => ({ ...deal, id: ids[index]! })),
  })
  const access = { email: `kim@${partner.slug}.example`, password: 'a long enough password' }
  const { id } = await createUser(system.db, {
    ...access,
    name: 'Kim Reed',
    role: 'member',
    partnerId: partner.id,
  })
  await system.db
    .update(users)
    .set({ seenAt: new Date(daysAgo(2)) })
    .where(eq(users.id, id))
  const change = (changes: Partial<DealRecord>[]) =>
    writeDeals(
      system.db,
      changes.map((record, index) => ({ record: { ...record, id: ids[index]! }, partnerId: partner.id })),
      { now: new Date(), events: true },
    )
  return { ...access, ids, change }
}

/** Deals that need attention for each reason. */
const some: Partial<DealRecord>[] = [
  {
    dealname: 'Garcia, Ana',
    stage: 'Site Survey',
    city: 'Phoenix',
    state: 'AZ',
    amount: 20_000,
    timeInCurrentStage: daysAgo(4),
    lastModified: daysAgo(1),
    createDate: daysAgo(4),
  },
  {
    dealname: 'Lopez, Luis',
    stage: 'Permit Submitted',
    amount: 30_000,
    timeInCurrentStage: daysAgo(62),
    lastModified: daysAgo(45),
    cadCompleted: daysAgo(70),
    hasHoa: true,
    permitSubmitted: daysAgo(40),
    expectedPermitDeliveryDate: daysAgo(9),
    hasChangesToAdders: true,
  },
  {
    dealname: 'Ito, Emi',
    stage: 'Install Scheduled',
    amount: 40_000,
    timeInCurrentStage: daysAgo(20),
    cadCompleted: daysAgo(90),
    permitReceived: daysAgo(30),
    installedScheduled: daysAgo(3),
    hasOutstandingItems: true,
  },
  {
    dealname: 'Novak, Eva',
    stage: 'Inspection',
    amount: 50_000,
    timeInCurrentStage: daysAgo(15),
    cadCompleted: daysAgo(90),
    permitReceived: daysAgo(30),
    installComplete: daysAgo(16),
    installCompleted: true,
    reInspectionRequested: daysAgo(1),
  },
  {
    dealname: 'Weiss, Paul',
    stage: 'Awaiting PTO',
    amount: 60_000,
    timeInCurrentStage: daysAgo(200),
    fundingSubmitted: daysAgo(5),
    m2Approved: false,
    installComplete: daysAgo(25),
    permitReceived: daysAgo(40),
    cadCompleted: daysAgo(80),
  },
  {
    dealname: 'Brown, Ted',
    stage: 'Cancelled',
    amount: 70_000,
    timeInCurrentStage: daysAgo(300),
    hasOutstandingItems: true,
  },
]

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Returns the number of deals that the list shows. */
async function countOfList(page: Page): Promise<number> {
  const status = page
    .getByRole('status')
    .filter({ hasText: /deals?\b/ })
    .first()
  await expect(status).toHaveText(/^[\d,]+ deals?/)
  return Number((await status.innerText()).replace(/ deal.*/s, '').replaceAll(',', ''))
}

test('is the first page after sign-in, shows what matters, and can be loaded again', async ({
  browser,
  system,
  page,
}) => {
  const member = await makeMember(system, some)
  await test.step('It is the first page after sign-in, and complete without scripts', async () => {
    await page.goto('/sign-in')
    await signIn(page, member)
    await expect(page).toHaveURL('/')
    await expect(page).toHaveTitle('Overview · Partner Deals')
    const plain = await browser.newPage({
      javaScriptEnabled: false,
      baseURL: system.url,
      storageState: await page.context().storageState(),
    })
    await plain.goto('/')
    await expect(section(plain, 'Needs attention')).toContainText('Permit overdue')
    await plain.close()
  })
  await test.step('It shows money, what needs attention, recent changes and the pipeline', async () => {
    const money = page.getByRole('list', { name: 'Money' }).getByRole('listitem')
    await expect(money).toHaveText([
      /Pipeline\$200K5 deals/,
      /Installed, not yet funded\$110K2 deals waiting1 to be submitted1 awaiting M2 approval/,
      /Funding submitted\$60K1 deal/,
    ])
    await expect(section(page, 'Needs attention').getByRole('listitem')).toHaveText([
      /Adders changedCheck the cost · 62 days in stage.*1/,
      /HOA approval not recordedGet the approval · 70 days open.*1/,
      /No activity for 30 daysAsk for a status update · 45 days inactive.*1/,
      /Permit overdueAsk the permit coordinator · 9 days late.*1/,
      /Outstanding itemsSend what is missing · 20 days in stage.*1/,
      /Install overdueAsk for a new install date · 3 days late.*1/,
      /Funding not submittedAsk the project manager to submit funding · 2 days over the usual time.*1/,
      /Re-inspection requestedArrange the re-inspection · 1 day open.*1/,
    ])
    await expect(section(page, 'Waiting longest').getByRole('listitem')).toHaveText([
      /Weiss, Paul.*200 days/,
      /Lopez, Luis.*62 days/,
      /Ito, Emi.*20 days/,
      /Novak, Eva.*15 days/,
      /Garcia, Ana.*Phoenix, AZ.*4 days/,
    ])
    await expect(section(page, 'Deals by stage').getByRole('list').first().getByRole('listitem')).toHaveText([
      /Site Survey1 deal, \$20K/,
      /Permit Submitted1 deal, \$30K/,
      /Install Scheduled1 deal, \$40K/,
      /Inspection1 deal, \$50K/,
      /Awaiting PTO1 deal, \$60K/,
    ])
    await expect(section(page, 'Deals by stage').getByRole('list', { name: 'Closed' })).toHaveText(
      /Cancelled 1/,
    )
    await expect(section(page, 'Last 12 weeks').getByRole('listitem')).toHaveText([
      /Created1/,
      /Installed2/,
      /Funding submitted1/,
    ])
  })
  await test.step('A failure is reported, and the page can be loaded again', async () => {
    await system.db.$client`alter table deals rename to deals_gone`
    try {
      await page.reload()
      await expect(page.getByText('Loading overview')).toBeAttached()
      await expect(page.getByRole('heading', { name: 'Could not load the overview' })).toBeVisible({
        timeout: 20_000,
      })
      expect(await violations(page)).toEqual([])
    } finally {
      await system.db.$client`alter table deals_gone rename to deals`
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(section(page, 'Waiting longest').getByRole('listitem')).toHaveCount(5)
  })
})

test('demo figures, parts, bars and lists add up, and each late deal is late in its list', async ({
  page,
  system,
}) => {
  test.slow()
  const demo = demoDeals({ partner: demoPartners[0]!, count: 300, firstId: newIds(1)[0]!, now: new Date() })
  const late = {
    stage: 'Permit Submitted',
    permitSubmitted: daysAgo(30),
    expectedPermitDeliveryDate: daysAgo(9),
  }
  const [first, ...others] = [...demo]
  const member = await makeMember(system, [{ ...first, ...late }, ...others])
  await enter(page, member, '/')
  const numberOf = async (text: Promise<string>, unit: RegExp) =>
    Number(unit.exec(await text)![1]!.replaceAll(',', ''))
  const money = page.getByRole('list', { name: 'Money' }).getByRole('listitem')
  const [open, installed] = await Promise.all(
    [0, 1].map((index) => numberOf(money.nth(index).innerText(), /([\d,]+) deals?/)),
  )
  const [toSubmit, toApprove] = await Promise.all(
    [/([\d,]+) to be submitted/, /([\d,]+) awaiting M2 approval/].map((part) =>
      numberOf(money.nth(1).innerText(), part),
    ),
  )
  expect(toSubmit! + toApprove!).toBe(installed)
  const bars = await section(page, 'Deals by stage')
    .getByRole('list')
    .first()
    .getByRole('listitem')
    .allInnerTexts()
  const counts = bars.map((text) => Number(/([\d,]+)\s*deals?,/.exec(text)![1]!.replaceAll(',', '')))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(open)
  await page.getByRole('link', { name: /awaiting M2 approval/ }).click()
  await expect(page.getByRole('button', { name: 'Remove Money: Submitted, not approved' })).toBeVisible()
  expect(await countOfList(page)).toBe(toApprove)
  await page.goBack()
  const overdue = section(page, 'Needs attention').getByRole('link', { name: /Permit overdue/ })
  const count = await numberOf(overdue.innerText(), /([\d,]+)\s*deals/)
  await overdue.click()
  expect(await countOfList(page)).toBe(count)
  const rows = page.getByRole('table', { name: 'Deals' }).locator('[data-index]')
  await expect(rows.first()).toBeVisible()
  for (const row of await rows.all()) await expect(row).toContainText(/(?:Permit|Install) \d+ days? late/)
})

test.describe('since the last visit', () => {
  test('shows what is new, updated and moved, with links to each, and for other days when chosen', async ({
    page,
    system,
  }) => {
    const member = await makeMember(system, some)
    await test.step('It is quiet if nothing has changed', async () => {
      await system.db.execute(
        `update events set created_at = now() - interval '40 days' where deal_id in (${member.ids.join(', ')})`,
      )
      await enter(page, member, '/')
      await expect(section(page, 'Changes')).toContainText(/No changes · last visit 2 days ago/)
    })
    await test.step('It shows what is new, updated and moved, with links to each, and for other days when chosen', async () => {
      // In whole milliseconds, as events have it: of those in one, the later change is first.
      await system.db.execute(
        `update events set created_at = date_trunc('milliseconds', now()) where deal_id in (${member.ids.slice(3).join(', ')})`,
      )
      await member.change([
        { stage: 'Engineering', amount: 21_000 },
        { city: 'Mesa', hasHoa: false },
      ])
      await page.reload()
      const news = section(page, 'Changes')
      await expect(news).toContainText('last visit 2 days ago')
      await expect(news.getByRole('listitem')).toHaveText([
        // Moves come first.
        /Garcia, Ana.*Site Survey.*Engineering.*and Amount/,
        /Lopez, Luis.*City and .*changed/,
        /Brown, Ted.*Cancelled.*New/,
        /Weiss, Paul.*New/,
        /Novak, Eva.*New/,
      ])
      for (const [kind, count, name] of [
        ['new', 3, 'Brown, Ted'],
        ['updated', 2, 'Lopez, Luis'],
        ['moved', 1, 'Garcia, Ana'],
      ] as const) {
        await news.getByRole('link', { name: `${count} ${kind}` }).click()
        await expect(page).toHaveURL(new RegExp(`[?&]${kind}=`))
        await expect(page.getByRole('link', { name }).first()).toBeVisible()
        expect(await countOfList(page)).toBe(count)
        await page.goBack()
      }
      await news.getByLabel('Days').selectOption('Yesterday')
      await expect(page).toHaveURL('/?window=yesterday')
      await expect(section(page, 'Changes')).toContainText('No changes')
      await page.reload()
      await expect(section(page, 'Changes')).toContainText('No changes')
      await page.goto('/')
      await news.getByRole('link', { name: 'Garcia, Ana' }).click()
      await expect(page).toHaveURL(`/deals/${member.ids[0]}`)
    })
  })

  test('stays the same until the visit ends, and says that nothing needs attention', async ({
    page,
    system,
  }) => {
    await enter(page, await makeMember(system, some.slice(0, 1)), '/')
    await expect(section(page, 'Needs attention')).toContainText('Nothing to flag.')
    await expect(section(page, 'Changes').getByRole('listitem')).toHaveText([/Garcia, Ana/])
    await page.reload()
    await expect(section(page, 'Changes').getByRole('listitem')).toHaveText([/Garcia, Ana/])
  })
})

test('has an empty state with next steps', async ({ page, system }) => {
  await enter(page, await makeUser(system), '/')
  await expect(page.getByRole('heading', { name: 'No deals yet' })).toBeVisible()
})

test('shows an operator all partners, without news', async ({ page, system }) => {
  await makeMember(system, some)
  await enter(page, await makeUser(system, { role: 'operator' }), '/')
  // Deals of other tests may be included, too.
  for (const name of [
    'Adders changed',
    'HOA approval not recorded',
    'No activity for 30 days',
    'Permit overdue',
    'Outstanding items',
    'Install overdue',
    'Funding not submitted',
    'Re-inspection requested',
  ])
    await expect(
      section(page, 'Needs attention').getByRole('listitem').filter({ hasText: name }),
      name,
    ).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Changes' })).toHaveCount(0)
  await expect(section(page, 'Deals by stage')).toBeVisible()
})

test('hostile text is shown as text', async ({ page, system }) => {
  const seen = watch(page)
  const member = await makeMember(
    system,
    hostileTexts.map((text) => ({
      dealname: text,
      stage: text,
      city: text,
      state: text,
      timeInCurrentStage: daysAgo(3),
    })),
  )
  await member.change(hostileTexts.map((text) => ({ stage: `${text}!` })))
  await enter(page, member, '/')
  for (const text of hostileTexts)
    await expect(section(page, 'Waiting longest').getByText(text, { exact: true }).first()).toBeVisible()
  expect(
    await page.evaluate(
      () => document.querySelectorAll('main :is(script, img, [onload], [onerror], [onfocus])').length,
    ),
  ).toBe(0)
  expect(seen).toEqual([])
})
