import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { sparsePartners } from '#db/demo/sparse.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { createDemoDatabase } from '#e2e/demo-database.ts'
import { erase, randomFrom } from '#e2e/erased-deals.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { temporaryDirectory } from '#e2e/system.ts'
import { findPartner, insertPartner } from '../accounts/store.ts'
import { api } from '../api.ts'
import { blockerOf } from '../deals/blocker.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { withObserved } from '../deals/event.ts'
import { evidenceOf } from '../deals/evidence.ts'
import { flowSteps, stepNow } from '../deals/flow.ts'
import { expectedSteps, paymentOf } from '../deals/payment.ts'
import { timelineOf } from '../deals/timeline.ts'
import type { Services } from '../runtime/services.ts'
import type { DealFilter } from '../search/wire.ts'
import { isClosed, makeStageOf } from '../stages/stage.ts'
import { dayOf } from '../values/zone.ts'
import { digestOf } from './digest.ts'
import { readUsualSteps } from './flow-store.ts'

// Every page shows the same value for a fact, with complete data, with sparse data, and with any field
// erased.

const now = new Date()
let database: TestDatabase
let dataDir: string
let services: Services

beforeAll(async () => {
  dataDir = await temporaryDirectory()
  database = await createDemoDatabase(dataDir)
  const { db } = database
  const deps = { db, config: { eventRetentionDays: 90 } }
  services = {
    ...deps,
    usual: ((tenant, zone) => readUsualSteps(deps, { tenant, zone }, now)) satisfies Services['usual'],
  } as unknown as Services
  const { id: partnerId } = (await insertPartner(db, 'erased', 'Erased'))!
  const random = randomFrom(11)
  const deals = [...demoDeals({ partner: demoPartners[1]!, count: 120, firstId: 9_000_000n, now })]
  const records = deals.map((deal, index) => {
    const left = erase(deal, random, { chance: 0.7 * random(), isStageErased: index % 5 === 4 })
    return Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null)) as DealRecord
  })
  await writeDeals(
    db,
    records.map((record) => ({ record, partnerId })),
    { now, events: true },
  )
}, 120_000)
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** Returns the API responses behind the pages of a partner's admin. */
async function openPages(slug: string) {
  const partnerId = (await findPartner(database.db, slug))!.id
  const context = await signedIn(services, { role: 'admin', partnerId })
  const caller = api.createCaller(context)
  const staff = await signedIn(services, { role: 'operator', partnerId: null })
  // The operator uses the same zone, because days depend on it.
  const operator = api.createCaller({ ...staff, actor: { ...staff.actor, zone: context.actor.zone } })
  const [partners, lists] = [
    await operator.partners.list({ search: slug, sort: { field: 'slug', direction: 'asc' } }),
    await readLists(caller),
  ]
  const [home, week, money, report, flow, trends, usual, scorecard, board, issues] = await Promise.all([
    caller.insight.home({ show: 'everyone' }),
    caller.insight.week({}),
    caller.insight.money(),
    caller.insight.moneyReport(),
    caller.insight.flow({ months: '12' }),
    caller.insight.trends({ months: '12', unit: 'month' }),
    caller.insight.usual(),
    caller.insight.scorecard({}),
    caller.deals.board({ filter: {} }),
    caller.dataQuality.counts(),
  ])
  return {
    caller,
    operator,
    zone: context.actor.zone,
    home,
    week,
    money,
    report,
    flow,
    trends,
    usual,
    scorecard,
    board,
    issues: issues.counts,
    mail: digestOf(week),
    line: partners.partners.find((partner) => partner.slug === slug)!,
    lists,
  }
}

/** Returns the numbers that lists of deals show in their headers. */
async function readLists(caller: ReturnType<typeof api.createCaller>) {
  const of = async (filter: DealFilter) => {
    const { count, amount } = await caller.deals.count({ filter })
    return { count, amount }
  }
  return {
    all: await of({}),
    open: await of({ isOpen: true }),
    late: await of({ isOpen: true, isLate: true }),
    paid: await of({ isPaid: true, isPayable: true }),
    onHold: await of({ isOnHold: true, isPayable: true }),
  }
}
type Pages = Awaited<ReturnType<typeof openPages>>

interface Statistic {
  name: string
  /** The deals that the statistic covers. */
  population: string
  window: string
  /** Returns the value of the statistic on each page that shows it. */
  pages: (pages: Pages) => Record<string, unknown>
}

const byName = <Name extends string>(figures: readonly { name: Name; count: number }[], name: Name) =>
  figures.find((figure) => figure.name === name)?.count ?? 0

const paymentsIn = (figures: Pages['money']['expected'], period: string) =>
  figures.flatMap(({ name, certainty, period: own, count, amount }) =>
    name === 'payment' && own === period ? [{ certainty, count, amount }] : [],
  )

/** Returns the number in a line of the weekly mail, which omits zeros. */
const inMail = (mail: Pages['mail'], section: string, line: string) =>
  mail.find(({ title }) => title === section)?.lines.find(({ title }) => title === line)?.count ?? 0

/** Flow steps in which all deals have the same blocker. Deals in other steps have one of two blockers. */
const singleSteps = flowSteps.filter((step) => step !== 'funding' && step !== 'payment')

const sumOf = (figures: readonly { count: number }[]) => figures.reduce((sum, { count }) => sum + count, 0)

const statistics: Statistic[] = [
  {
    name: 'Deals',
    population: 'all deals',
    window: 'now',
    pages: ({ home, week, flow, board, line, lists }) => ({
      home: home.dealCount,
      week: week.dealCount,
      flow: flow.dealCount,
      board: sumOf(board.columns),
      partners: line.deals,
      list: lists.all.count,
    }),
  },
  {
    name: 'Open deals',
    population: 'deals whose stage is neither won nor lost',
    window: 'now',
    pages: ({ board, line, lists }) => ({
      board: sumOf(board.columns.filter(({ kind }) => !isClosed(kind))),
      partners: line.open,
      list: lists.open.count,
    }),
  },
  {
    name: 'Open amount',
    population: 'deals whose stage is neither won nor lost',
    window: 'now',
    pages: ({ line, lists }) => ({
      partners: Math.round(line.amount ?? 0),
      list: Math.round(lists.open.amount ?? 0),
    }),
  },
  {
    name: 'Late deals',
    population: 'open deals past the planned day of their step',
    window: 'now',
    pages: ({ line, lists }) => ({ partners: line.late, list: lists.late.count }),
  },
  {
    name: 'Paid deals',
    population: 'deals in a won stage without service tickets',
    window: 'always',
    pages: ({ money, report, lists }) => ({
      money: byName(money.gates, 'paid'),
      rest: report.gates.find(({ gate }) => gate === 'paid')!.count,
      list: lists.paid.count,
    }),
  },
  {
    name: 'Deals on hold',
    population: 'deals in a stage that is on hold, without service tickets',
    window: 'now',
    pages: ({ money, lists }) => ({
      money: byName(money.notExpected, 'onHold'),
      holds: sumOf(money.holds.filter(({ name }) => name === 'onHold')),
      list: lists.onHold.count,
    }),
  },
  ...singleSteps.map((step): Statistic => ({
    name: `Waiting for ${step}`,
    population: 'deals in a stage that moves on, without service tickets',
    window: 'now',
    pages: ({ flow, money, week }) => ({
      flow: flow.steps.find((figure) => figure.step === step)!.waiting.count,
      money: sumOf(money.holds.filter(({ name }) => name === step)),
      week: sumOf(week.holds.filter(({ name }) => name === step)),
    }),
  })),
  {
    name: 'Waiting for anything',
    population: 'deals in a stage that moves on, without service tickets',
    window: 'now',
    pages: ({ flow, money, week }) => {
      const moving = (holds: Pages['money']['holds']) => sumOf(holds.filter(({ name }) => name !== 'onHold'))
      return {
        flow: sumOf(flow.steps.map(({ waiting }) => waiting)) + flow.leftOut.stepNotKnown.count,
        money: moving(money.holds),
        week: moving(week.holds),
      }
    },
  },
  ...(['overdue', 'thisWeek', 'nextWeek'] as const).map((period): Statistic => ({
    name: `Expected payments, ${period}`,
    population: 'deals submitted for funding and not paid, without service tickets',
    window: period,
    pages: ({ home, week, money, report }) => ({
      home: paymentsIn(home.payments.expected, period),
      week: paymentsIn(week.expected, period),
      money: paymentsIn(money.expected, period),
      rest: report.expected
        .filter((figure) => figure.what === 'payment' && figure.period === period)
        .map(({ certainty, count, amount }) => ({ certainty, count, amount })),
    }),
  })),
  {
    name: 'Waiting on',
    population: 'open deals without service tickets, by gate and what they wait for',
    window: 'now',
    pages: ({ week, money, report }) => {
      const shown = (holds: Pages['money']['holds']) =>
        holds.map(({ name, gate, holders, count }) => ({
          name,
          gate,
          holder: holders.length === 1 ? holders[0] : null,
          count,
        }))
      return {
        week: shown(week.holds),
        money: shown(money.holds),
        rest: report.gates.flatMap(({ gate, holds }) =>
          holds.map(({ hold: name, holder, count }) => ({ name, gate, holder, count })),
        ),
      }
    },
  },
  ...(['lateInstall', 'latePermit'] as const).map((name): Statistic => ({
    name,
    population: 'open deals past the planned day of the step',
    window: 'now',
    pages: ({ home, week, mail }) => ({
      home: byName(home.reasons, name),
      week: byName(week.late, name),
      mail: inMail(mail, 'Late now', name === 'lateInstall' ? 'Install' : 'Permit'),
    }),
  })),
  {
    name: 'Installed without a date',
    population: 'deals whose stage or dates say that they are installed',
    window: 'always',
    pages: ({ week, trends, issues }) => ({
      week: byName(week.undated, 'notInstalled'),
      trends: trends.leftOut.installed.count,
      issues: issues.installWithoutDate.count,
    }),
  },
  {
    name: 'Submitted without a date',
    population: 'deals whose stage or dates say that they are submitted for funding',
    window: 'always',
    pages: ({ week, trends }) => ({
      week: byName(week.undated, 'notFunded'),
      trends: trends.leftOut.funded.count,
    }),
  },
  ...(['funding', 'payment'] as const).map((step): Statistic => ({
    name: `Usual days of ${step}`,
    population: 'deals that took the step',
    window: 'last 12 months',
    pages: ({ money, flow, usual }) => ({
      money: money.usual[step === 'funding' ? 'submission' : step],
      flow: flow.steps.find((figure) => figure.step === step)!.now.usual,
      deal: usual[step],
    }),
  })),
]

/** The pages of each partner, opened only once. */
const opened = new Map<string, ReturnType<typeof openPages>>()
function pagesOf(slug: string) {
  const pages = opened.get(slug) ?? openPages(slug)
  opened.set(slug, pages)
  return pages
}

const slugs = [demoPartners[0]!.slug, ...sparsePartners.map(({ slug }) => slug), 'erased']

describe.each(slugs)('the pages of %s', (slug) => {
  test.each(statistics)('agree on the $name of $population, $window', async ({ pages }) => {
    const values = Object.values(pages(await pagesOf(slug)))
    expect(values.length).toBeGreaterThan(1)
    for (const value of values.slice(1)) expect(value).toEqual(values[0])
  })

  test('agree on the time in stage, last change, assignee and payment of each deal', async () => {
    const { caller, operator, usual, zone } = await pagesOf(slug)
    const fields = ['id', 'timeInCurrentStage', 'lastModified', 'held', 'payment'] as const
    const list = (await caller.deals.find({ fields: [...fields], limit: 50 })).value().deals
    const stageOf = makeStageOf(await caller.stages.list())
    expect(list.length).toBeGreaterThan(20)
    const ids = list.map(({ id }) => String(id))
    const staff = (await operator.deals.refresh({ ids, filter: {}, fields: [...fields] })).value().deals
    const staffPayments = new Map(staff.map(({ id, payment }) => [id, payment]))
    expect(await operator.insight.usual({ id: ids[0]! })).toEqual(usual)
    for (const row of list) {
      const deal = withObserved((await caller.deals.show({ id: String(row.id) })).value())
      const stage = stageOf(deal.stage)
      const nowMs = Date.now()
      const today = dayOf(new Date(nowMs), zone)
      const evidence = evidenceOf(deal, stage, nowMs)
      const at = stepNow(deal, stage.kind, evidence, nowMs, zone)
      const expected = expectedSteps(at, usual, timelineOf(deal, stage, nowMs, zone), today)
      const payment = paymentOf(deal, stage, evidence, expected.payment, { nowMs, today })
      expect({
        since: row.timeInCurrentStage ?? row.seenAt ?? null,
        lastModified: row.lastModified,
        held: row.held,
        payment: row.payment,
        staffPayment: staffPayments.get(row.id),
      }).toEqual({
        since: deal.timeInCurrentStage ?? deal.seenAt,
        lastModified: deal.lastModified,
        held: blockerOf(deal, stage, nowMs),
        payment,
        staffPayment: payment,
      })
    }
  })
})
