import type { Locator, Page } from '@playwright/test'
import { formatCountOf, formatDollarsShort } from '#app/ui/format.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { expect, test } from './fixtures.ts'
import { enter, makeUser } from './portal-user.ts'
import type { RunningSystem } from './system.ts'

// Every weekly question of a partner takes at most two clicks. The expected figures are computed
// independently, from the deals' JSON.

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))
const surveyed = { createDate: daysAgo(700), siteSurveyCompleted: daysAgo(690), cadCompleted: daysAgo(685) }
const ready = { ...surveyed, engineeringCompleted: daysAgo(680), ntpApproved: daysAgo(670) }

const records: Partial<DealRecord>[] = [
  // Permits recently took 10 to 15 days, and 20 to 25 days before that.
  ...times(6, (index) => ({
    ...ready,
    stage: 'Funding',
    permitSubmitted: daysAgo(50 + index),
    permitReceived: daysAgo(40),
    installComplete: daysAgo(3 * index + 1),
    amount: 20_000 + index,
  })),
  ...times(6, (index) => ({
    ...ready,
    permitSubmitted: daysAgo(470 + index),
    permitReceived: daysAgo(450),
    installComplete: daysAgo(200),
    fundingSubmitted: daysAgo(120),
    timeInCurrentStage: daysAgo(100),
    m2Approved: true,
    stage: 'Funded',
    amount: 30_000,
  })),
  // Expected to be paid in five days, because earlier deals were paid after 20 days.
  ...times(2, (index) => ({
    ...ready,
    stage: 'Awaiting PTO',
    installComplete: daysAgo(30),
    fundingSubmitted: daysAgo(15),
    m2Approved: true,
    amount: 41_000 + index,
  })),
  // Stuck at the permit and at the install.
  ...times(3, () => ({
    ...ready,
    stage: 'Permit Submitted',
    permitRequired: true,
    permitSubmitted: daysAgo(60),
    amount: 10_000,
  })),
  { ...ready, stage: 'Install Scheduled', installedScheduled: daysAgo(12), amount: 15_000 },
  { ...surveyed, stage: 'Cancelled', installComplete: daysAgo(2) },
  { ...surveyed, stage: 'Engineering', lastModified: daysAgo(0) },
]

/**
 * Queries figures of a partner's deals. In the query, `deal` is a deal's JSON, and `lost`, `won` and `open`
 * tell its stage kind.
 */
async function readFigures(
  { db: { $client: sql } }: RunningSystem,
  partnerId: number,
  figures: string,
): Promise<Record<string, number>> {
  const [row] = await sql.unsafe<Record<string, number>[]>(
    `select ${figures} from (
      select json::jsonb as deal, stage.kind = 'won' as won, coalesce(stage.kind, 'open') in ('won', 'lost') as closed
      from deals left join stages stage on stage.name = deals.stage where partner_id = ${partnerId}) told`,
  )
  return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
}

/** Opens Home and answers a question by clicking. Expects at most two clicks. */
async function ask(page: Page, question: (click: (target: Locator) => Promise<void>) => Promise<void>) {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible()
  let clicks = 0
  await question(async (target) => {
    clicks += 1
    await target.click()
  })
  expect(clicks).toBeLessThanOrEqual(2)
}

const total = (page: Page) => page.locator('p[role=status]', { hasText: /deals?\b/ }).first()

for (const width of [390, 1440])
  test(`at ${width} pixels, weekly tasks take two clicks, with figures that match the database`, async ({
    page,
    system,
  }) => {
    test.slow()
    await page.setViewportSize({ width, height: 900 })
    const deals = records.map((record) => ({ lastModified: daysAgo(20), ...record }))
    const member = await makeUser(system, { deals })
    await enter(page, member, '/')
    const read = (figures: string) => readFigures(system, member.partner.id, figures)

    // Question: What was installed this week?
    const { installed } = await read(
      `count(*) filter (where (deal ->> 'installComplete')::timestamptz >= date_trunc('week', now())) as installed`,
    )
    const toReports = async (click: (target: Locator) => Promise<void>) => {
      if (width < 1024) {
        await click(page.getByRole('button', { name: 'Navigation' }))
        await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Week' }))
      } else
        await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reports' }))
    }
    // On Mondays, the page shows the previous week.
    if (new Date().getUTCDay() !== 1)
      await ask(page, async (click) => {
        await toReports(click)
        await expect(page.getByRole('list', { name: 'Changes of the week' })).toContainText(
          `Installed${formatCountOf(installed!, 'deal')}`,
        )
      })

    // Question: What is stuck, and where?
    const { late } = await read(
      `count(*) filter (where late) as late`.replaceAll(
        'where late',
        `where not closed and deal ->> 'installComplete' is null and (deal ->> 'installedScheduled')::timestamptz < current_date`,
      ),
    )
    const { inPermit } = await read(
      `count(*) filter (where not closed and deal ->> 'permitReceived' is null and deal ->> 'permitSubmitted' is not null) as "inPermit"`,
    )
    await ask(page, async (click) => {
      const line = page.getByRole('link', { name: /^Install overdue/ })
      await expect(line).toContainText(String(late))
      await click(line)
      await expect(total(page)).toContainText(formatCountOf(late!, 'deal'))
    })
    const toFlow = async (click: (target: Locator) => Promise<void>) => {
      if (width < 1024) {
        await click(page.getByRole('button', { name: 'Navigation' }))
        await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Flow' }))
        return
      }
      await click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reports' }))
      await click(page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Flow' }))
    }
    const permit = page
      .getByRole('list', { name: 'Steps' })
      .getByRole('listitem')
      .filter({ hasText: /^Permit(?! sub)/ })
    await ask(page, async (click) => {
      await toFlow(click)
      await expect(permit).toContainText(`${formatCountOf(inPermit!, 'deal')} waiting`)
      await expect(permit).toContainText(`${inPermit} slower than usual`)
    })

    // Question: What will be paid by the end of the month?
    const { next, nextAmount } = await read(
      `count(*) filter (where due) as next, sum((deal ->> 'amount')::float8) filter (where due) as "nextAmount"`.replaceAll(
        'where due',
        `where not closed and (deal ->> 'fundingSubmitted')::date + 20 between current_date and current_date + 13`,
      ),
    )
    await ask(page, async (click) => {
      const payments = page.getByRole('region', { name: 'Expected payments' })
      const due = payments.getByRole('listitem').filter({ hasText: formatDollarsShort(nextAmount!) })
      await expect(due).toContainText(formatCountOf(next!, 'deal'))
      await click(due.getByRole('link'))
      await expect(total(page)).toContainText(formatCountOf(next!, 'deal'))
    })

    // Question: Are we getting faster?
    const days = `(deal ->> 'permitReceived')::date - (deal ->> 'permitSubmitted')::date`
    const since = `date_trunc('month', now()) - interval '11 months'`
    const median = (condition: string) =>
      `percentile_disc(0.5) within group (order by ${days}) filter (where (deal ->> 'permitReceived')::timestamptz ${condition})`
    const { now, before } = await read(
      `${median(`>= ${since}`)} as now, ${median(`between ${since} - interval '12 months' and ${since}`)} as before`,
    )
    await ask(page, async (click) => {
      await toFlow(click)
      await expect(permit).toContainText(`Usually ${formatCountOf(now!, 'day')}`)
      await expect(permit).toContainText(`${formatCountOf(before! - now!, 'day')} faster`)
    })

    // Question: What is new in the last seven days?
    const { fresh } = await read('count(*) as fresh')
    await ask(page, async (click) => {
      await click(page.getByRole('region', { name: 'Last 7 days' }).getByRole('link', { name: / new$/ }))
      await expect(total(page)).toContainText(formatCountOf(fresh!, 'deal'))
    })
  })
