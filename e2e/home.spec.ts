import type { Page } from '@playwright/test'
import { eq } from 'drizzle-orm'
import { users } from '#db/schema/accounts.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser, signIn, violations } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/**
 * Creates a partner with these deals. Returns a member whose last visit was two days ago, before any deal
 * changed.
 */
async function makeMember(system: RunningSystem, deals: Partial<DealRecord>[]) {
  const { id, ids, partner, ...access } = await makeUser(system, { name: 'Kim Reed', deals })
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

/** Deals that need attention for every possible reason. */
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

test('Home opens after sign-in, shows what needs attention, and can be reloaded', async ({
  browser,
  system,
  page,
}) => {
  const member = await makeMember(system, some)
  await test.step('Home opens after sign-in, and is complete without scripts', async () => {
    await page.goto('/sign-in')
    await signIn(page, member)
    await expect(page).toHaveURL('/')
    await expect(page).toHaveTitle('Home · Partner Deals')
    const plain = await browser.newPage({
      javaScriptEnabled: false,
      baseURL: system.url,
      storageState: await page.context().storageState(),
    })
    await plain.goto('/')
    await expect(section(plain, 'Deals to talk about')).toContainText('Permit overdue')
    await plain.close()
  })
  await test.step('Home names what needs attention, who must act, and for how long', async () => {
    const deals = section(page, 'Deals to talk about')
    await expect(deals.getByRole('listitem')).toHaveText([
      /Lopez, Luis.*Adders changed\. Check the cost.*62 days in stage\$30K/,
      /Ito, Emi.*Outstanding items\. Send what is missing.*20 days in stage\$40K/,
      /Novak, Eva.*Funding not submitted in 14 days\. Ask when funding will be submitted.*2 days over the usual time\$50K/,
    ])
    await deals.getByRole('link', { name: 'Permit overdue 1' }).click()
    await expect(page.getByRole('button', { name: 'Remove Deals: open' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Lopez, Luis' })).toBeVisible()
    await page.goBack()
  })
  await test.step('Home has at most 45 controls', async () => {
    const controls = page.locator('a:visible, button:visible, input:visible, select:visible')
    expect(await controls.count()).toBeLessThanOrEqual(45)
  })
  await test.step('A failure is reported, and Home can be reloaded', async () => {
    await system.db.$client`alter table deals rename to deals_gone`
    try {
      await page.reload()
      await expect(page.getByRole('heading', { name: 'Could not load your deals' })).toBeVisible({
        timeout: 20_000,
      })
      expect(await violations(page)).toEqual([])
    } finally {
      await system.db.$client`alter table deals_gone rename to deals`
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(section(page, 'Deals to talk about').getByRole('listitem')).toHaveCount(3)
  })
})

test("a member named on deals sees their own deals and questions first, and can switch to everyone's", async ({
  page,
  system,
}) => {
  const member = await makeMember(
    system,
    some.map((deal, index) => ({ ...deal, ...(index === 1 && { closerName: 'Kim Reed' }) })),
  )
  await enter(page, member, '/')
  await expect(section(page, 'Deals to talk about').getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('navigation', { name: 'Whose deals' })).toHaveCount(0)
  const card = section(page, 'Set up')
  await expect(card).toContainText('Which of these names is you?')
  await card.getByRole('button', { name: 'Kim Reed' }).click()
  const own = section(page, 'Your deals that need attention')
  await expect(own.getByRole('listitem')).toHaveText([/Lopez, Luis/])
  await expect(card).toHaveCount(0)
  await page.reload()
  await expect(own.getByRole('listitem')).toHaveText([/Lopez, Luis/])
  await expect(section(page, 'Since your last visit').getByRole('listitem')).toHaveText([/Lopez, Luis.*New/])
  const scope = page.getByRole('navigation', { name: 'Whose deals' })
  await expect(scope.locator('[aria-current]')).toHaveText('Mine')
  await scope.getByRole('link', { name: 'Everyone' }).click()
  await expect(page).toHaveURL('/?show=everyone')
  await expect(section(page, 'Deals to talk about').getByRole('listitem')).toHaveCount(3)
  await test.step('A question of the member is listed until resolved', async () => {
    await page.goto(`/deals/${member.ids[1]}`)
    await page.getByRole('button', { name: 'Ask a question' }).click()
    await page.keyboard.type('When is the permit due?')
    await section(page, 'Questions').getByRole('button', { name: 'Ask', exact: true }).click()
    await expect(page.getByText('When is the permit due?').first()).toBeVisible()
    await page.goto('/')
    await expect(section(page, 'Your open questions').getByRole('listitem')).toHaveText([
      /Lopez, Luis.*When is the permit due\?.*Waiting/,
    ])
  })
})

test('shows new deals and stage changes since the last visit, with links', async ({ page, system }) => {
  const member = await makeMember(system, some)
  await test.step('Home shows no changes if there are none', async () => {
    await system.db.execute(
      `update events set created_at = now() - interval '40 days' where deal_id in (${member.ids.join(', ')})`,
    )
    await enter(page, member, '/')
    await expect(section(page, 'Since your last visit')).toContainText(/No changes · last visit 2 days ago/)
  })
  await test.step('Home links to new, updated and moved deals', async () => {
    // Event times are whole milliseconds. Within the same millisecond, later changes come first.
    await system.db.execute(
      `update events set created_at = date_trunc('milliseconds', now()) where deal_id in (${member.ids.slice(3).join(', ')})`,
    )
    await member.change([
      { stage: 'Engineering', amount: 21_000 },
      { city: 'Mesa', hasHoa: false },
    ])
    await page.reload()
    const news = section(page, 'Since your last visit')
    await expect(news.getByRole('listitem')).toHaveCount(4)
    await expect(news.getByRole('listitem').filter({ hasText: 'Garcia, Ana' })).toHaveText(
      /Garcia, Ana.*Site Survey.*Engineering.*and Amount/,
    )
    for (const [kind, count, name, label = kind] of [
      ['new', 3, 'Brown, Ted'],
      ['updated', 2, 'Lopez, Luis'],
      ['moved', 1, 'Garcia, Ana', 'changed stage'],
    ] as const) {
      await news.getByRole('link', { name: `${count} ${label}` }).click()
      await expect(page).toHaveURL(new RegExp(`[?&]${kind}=`))
      await expect(page.getByRole('link', { name }).first()).toBeVisible()
      await page.goBack()
    }
  })
})
