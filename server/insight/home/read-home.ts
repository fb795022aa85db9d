import { isEveryone } from '../../accounts/partner.ts'
import { blockerOf } from '../../deals/milestones/money.ts'
import { parseKnown } from '../../deals/render.ts'
import { resolveQuery } from '../../search/resolve-query.ts'
import { findDeals, readAgain } from '../../search/store.ts'
import { type TotalsDeps, countingDb, readOrCountTotals } from '../../search/totals/read-totals.ts'
import type { DealFilter } from '../../search/wire.ts'
import { type StageOf, makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import { type Zone, dayNumberOf, utc } from '../../values/zone.ts'
import { type HomeTotals, counterOf, tallyOf, undatedOf } from '../group.ts'
import { readMoney } from '../money/read-money.ts'
import type { MoneyFigures } from '../money/wire.ts'
import { type AttentionName, allowedDays, attentionNames } from '../question.ts'
import { type NewsReader, lineOf, readNews } from '../read-news.ts'
import { homeTotals } from '../store.ts'
import { type OwnCount, countOwn } from './store.ts'
import type { AttentionFigure, AttentionLine, Home, HomeScope } from './wire.ts'

/** Counts the viewer's own deals that match each filter. */
type CountEach = (filters: DealFilter[]) => Promise<OwnCount[]>

/** Maximum number of deals listed as needing attention. */
const attentionMax = 10
const perReason = 3

/** Returns Home at `now`, for the viewer's own deals or for everyone's. */
export async function readHome(
  deps: TotalsDeps,
  actor: NewsReader,
  wanted: HomeScope | null,
  now: Date,
): Promise<Home> {
  const { tenant, zone } = actor
  const db = countingDb(deps, tenant)
  const [{ totals, asOf }, stages, money, mine] = await Promise.all([
    readOrCountTotals(deps, tenant, homeTotals, zone, now),
    readStages(deps.db, tenant),
    readMoney(deps, tenant, zone, now),
    countOwn(db, actor, [{ isOpen: true }]),
  ])
  const isNamed = mine[0]!.count > 0
  const show = wanted ?? (isNamed ? 'mine' : 'everyone')
  const scope: DealFilter = show === 'mine' ? { isMine: true } : {}
  const countEach = show === 'mine' ? (filters: DealFilter[]) => countOwn(db, actor, filters) : undefined
  const stageOf = makeStageOf(stages)
  const { count: dealCount } = tallyOf(totals.groups)
  const [notCreated] = undatedOf(totals, stageOf)
  const reasons = await readReasons(totals, stageOf, scope, countEach)
  const [attention, news, payments] = await Promise.all([
    readAttention(deps, actor, reasons, show === 'mine' ? null : totals.longest, stageOf, totals.today, now),
    isEveryone(tenant) ? null : readNews(deps.db, actor, scope, now, countEach),
    readPayments(money, scope, countEach),
  ])
  return {
    show,
    isNamed,
    asOf,
    dealCount,
    hasDates: !(notCreated?.name === 'notCreated' && notCreated.count === dealCount),
    attention,
    reasons,
    news,
    payments,
  }
}

/**
 * Returns the reasons for attention with their counts: from the totals, or counted individually for the
 * viewer's own deals.
 */
async function readReasons(
  totals: HomeTotals,
  stageOf: StageOf,
  scope: DealFilter,
  countEach: CountEach | undefined,
): Promise<AttentionFigure[]> {
  const all = attentionNames.map(counterOf(totals, stageOf)).filter(({ count }) => count > 0)
  const filters = all.map(({ filter }) => ({ ...filter, ...scope }))
  const counts = countEach === undefined ? all : await countEach(filters)
  return all
    .map(({ name, sort }, index) => {
      const { count, isMore = false } = counts[index]! as { count: number; isMore?: boolean }
      return { name, sort, count, isMore, filter: filters[index]! }
    })
    .filter(({ count }) => count > 0)
}

/**
 * Returns the deals that need attention, once each, sorted by dollars times days late. The candidates are the
 * `longest` of the totals or, for the viewer's own deals, all of them.
 */
async function readAttention(
  deps: TotalsDeps,
  actor: NewsReader,
  reasons: AttentionFigure[],
  longest: HomeTotals['longest'] | null,
  stageOf: StageOf,
  today: string,
  now: Date,
): Promise<AttentionLine[]> {
  const found = await Promise.all(
    reasons.map(async ({ name, filter, sort }) => {
      const query = await resolveQuery(actor, filter)
      const deals =
        longest === null
          ? (await findDeals(countingDb(deps, actor.tenant), query, sort, null, attentionMax)).deals
          : (await readAgain(deps.db, query, longest[name].map(BigInt))).filter(({ isMatch }) => isMatch)
      return deals.map(({ json, given }): AttentionLine => {
        const deal = parseKnown(json, given)
        const since = deal[sort.field] as string | null
        return {
          deal: lineOf(json),
          name,
          ...daysOf(name, since, today, actor.zone),
          held: blockerOf(deal, stageOf(deal.stage), now.getTime()),
        }
      })
    }),
  )
  const ranked = found.flat().toSorted((a, b) => dollarDays(b) - dollarDays(a) || lateness(b) - lateness(a))
  const once = [...Map.groupBy(ranked, ({ deal }) => deal.id).values()].map(([first]) => first!)
  // Limits the deals per reason, so that no reason fills the whole list.
  const atFirst = [...Map.groupBy(once, ({ name }) => name).values()].flatMap((all) =>
    all.slice(0, perReason),
  )
  const others = once.filter((line) => !atFirst.includes(line))
  return [...once.filter((line) => atFirst.includes(line)).slice(0, attentionMax), ...others]
    .slice(0, attentionMax)
    .toSorted((a, b) => once.indexOf(a) - once.indexOf(b))
}

const lateness = ({ daysLate, days }: AttentionLine) => daysLate ?? days ?? 0
const dollarDays = (line: AttentionLine) => (line.deal.amount ?? 0) * lateness(line)

/** Returns the days since a date, and how many of these days exceed the tolerance of the reason. */
function daysOf(name: AttentionName, since: string | null, today: string, zone: Zone) {
  if (since === null) return { days: null, daysLate: null }
  const days = Math.max(0, dayNumberOf(today, utc) - dayNumberOf(since, zone))
  return { days, daysLate: Math.max(0, days - allowedDays[name]) }
}

const monthPeriods: ReadonlySet<string> = new Set(['overdue', 'thisWeek', 'nextWeek', 'laterThisMonth'])

/**
 * Returns the payments of the Money page until the end of the month, counted individually for the viewer's
 * own deals.
 */
async function readPayments(
  { expected, notExpected }: MoneyFigures,
  scope: DealFilter,
  countEach: CountEach | undefined,
): Promise<Home['payments']> {
  const payments = {
    expected: expected.filter(({ name, period }) => name === 'payment' && monthPeriods.has(period)),
    notExpected: notExpected.filter(({ name }) => name === 'payment' || name === 'unknown'),
  }
  if (countEach === undefined) return payments
  const own = async <Figure extends { filter: DealFilter }>(figures: Figure[]) => {
    const filters = figures.map(({ filter }) => ({ ...filter, ...scope }))
    const counts = await countEach(filters)
    return figures.map((figure, index) => {
      const { count, amount } = counts[index]!
      return { ...figure, count, amount, filter: filters[index]! }
    })
  }
  const [mine, unknown] = await Promise.all([own(payments.expected), own(payments.notExpected)])
  return { expected: mine, notExpected: unknown.filter(({ count }) => count > 0) }
}
