import type { Database } from '#db/client.ts'
import { isEveryone } from '../accounts/partner.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { blockerOf } from '../deals/blocker.ts'
import { parseDeal, parseKnown } from '../deals/render.ts'
import { countDeals } from '../search/count-store.ts'
import { newsKinds } from '../search/filters.ts'
import { type TotalsDeps, countingDb, readOrCountTotals } from '../search/read-totals.ts'
import { resolveQuery } from '../search/resolve-query.ts'
import type { DayRange } from '../search/step-store.ts'
import { findDeals, readAgain } from '../search/store.ts'
import type { DealFilter } from '../search/wire.ts'
import { type StageOf, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { type DayWindow, daysOfWindow, windowSince } from '../values/day-choice.ts'
import { tallyOf } from '../values/units.ts'
import { type Zone, dayOf, dayNumberOf, utc } from '../values/zone.ts'
import { readDealNews, homeTotals, type NewsReader, type OwnCount, countOwn } from './home-store.ts'
import { netChange, type HomeTotals, counterOf, undatedOf } from './home.ts'
import { readMoney } from './money-store.ts'
import { type AttentionName, allowedDays, attentionNames } from './question.ts'
import type {
  Counted,
  DealLine,
  News,
  NewsLine,
  MoneyFigures,
  AttentionFigure,
  AttentionLine,
  Home,
  HomeScope,
} from './wire.ts'

type CountEach = (filters: DealFilter[]) => Promise<OwnCount[]>

const attentionMax = 10
const perReason = 3

/** Returns Home at `now`, for the viewer's own deals or for everyone's. */
export async function readHome(
  deps: TotalsDeps,
  actor: NewsReader,
  wanted: HomeScope | null,
  now: Date,
): Promise<Home> {
  const { tenant } = actor
  const db = countingDb(deps, tenant)
  const [{ totals, asOf }, stages, money, mine] = await Promise.all([
    readOrCountTotals(deps, homeTotals, actor, now),
    readStages(deps.db, tenant),
    readMoney(deps, actor, now),
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

/** Returns figures of totals or, if `countEach` is given, counts them again within the scope. */
async function inScope<Figure extends Counted<unknown>>(
  figures: Figure[],
  scope: DealFilter,
  countEach: CountEach | undefined,
): Promise<(Figure & { isMore: boolean })[]> {
  if (countEach === undefined) return figures.map((figure) => ({ ...figure, isMore: false }))
  const filters = figures.map(({ filter }) => ({ ...filter, ...scope }))
  const counts = await countEach(filters)
  return figures.map((figure, index) => ({ ...figure, ...counts[index]!, filter: filters[index]! }))
}

async function readReasons(
  totals: HomeTotals,
  stageOf: StageOf,
  scope: DealFilter,
  countEach: CountEach | undefined,
): Promise<AttentionFigure[]> {
  const all = attentionNames.map(counterOf(totals, stageOf)).filter(({ count }) => count > 0)
  return (await inScope(all, scope, countEach)).filter(({ count }) => count > 0)
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

function daysOf(name: AttentionName, since: string | null, today: string, zone: Zone) {
  if (since === null) return { days: null, daysLate: null }
  const days = Math.max(0, dayNumberOf(today, utc) - dayNumberOf(since, zone))
  return { days, daysLate: Math.max(0, days - allowedDays[name]) }
}

const monthPeriods: ReadonlySet<string> = new Set(['overdue', 'thisWeek', 'nextWeek', 'laterThisMonth'])

/** Returns the payments of the Money page until the end of the month. */
async function readPayments(
  { expected, notExpected }: MoneyFigures,
  scope: DealFilter,
  countEach: CountEach | undefined,
): Promise<Home['payments']> {
  const payments = expected.filter(({ name, period }) => name === 'payment' && monthPeriods.has(period))
  const others = notExpected.filter(({ name }) => name === 'payment' || name === 'unknown')
  const [dated, undated] = await Promise.all([
    inScope(payments, scope, countEach),
    inScope(others, scope, countEach),
  ])
  return { expected: dated, notExpected: undated.filter(({ count }) => count > 0) }
}

const newsCount = 6
const firstVisitWindow: DayWindow = 'last-7-days'

/** Returns the news about the matching deals since the day of the viewer's last visit. */
export async function readNews(
  db: Database,
  reader: NewsReader,
  filter: DealFilter,
  now: Date,
  countEach: (filters: DealFilter[]) => Promise<Pick<OwnCount, 'count' | 'isMore'>[]> = (filters) =>
    Promise.all(filters.map(async (each) => countDeals(db, await resolveQuery(reader, each)))),
): Promise<News> {
  const { user, zone } = reader
  const today = dayOf(now, zone)
  const visit = user === null ? null : await readLastVisit(db, user.id)
  const window = visit === null ? firstVisitWindow : windowSince(dayOf(visit, zone), today)
  const days = daysOfWindow(window, today)
  const filters = newsKinds.map((name): DealFilter => ({ ...filter, news: { [name]: days } }))
  const [counts, lines] = await Promise.all([
    countEach(filters),
    readNewsLines(db, reader, filter, days, newsCount),
  ])
  return {
    lastVisit: visit?.toISOString() ?? null,
    counts: newsKinds.map((name, index) => {
      const { count, isMore } = counts[index]!
      return { name, count, isMore, filter: filters[index]! }
    }),
    lines,
  }
}

/** Returns the matching deals that moved or became visible on some days, newest first. */
export async function readNewsLines(
  db: Database,
  reader: NewsReader,
  filter: DealFilter,
  days: DayRange,
  limit: number,
): Promise<NewsLine[]> {
  const sort = { field: 'lastModified', direction: 'desc' } as const
  const found = await Promise.all(
    (['moved', 'new'] as const).map(async (name) =>
      findDeals(db, await resolveQuery(reader, { ...filter, news: { [name]: days } }), sort, null, limit),
    ),
  )
  const ids = found.flatMap(({ deals }) => deals.map(({ json }) => String(parseDeal(json).id)))
  const dealNews = await readDealNews(db, reader.tenant, days, reader.zone, [...new Set(ids)])
  return [...dealNews.values()]
    .map(({ json, isNew, time, changes }) => ({ deal: lineOf(json), isNew, time, ...netChange(changes) }))
    .toSorted((a, b) => b.time.localeCompare(a.time))
    .slice(0, limit)
}

function lineOf(json: string): DealLine {
  const { id, dealname, firstName, lastName, city, state, stage, amount } = parseDeal(json)
  return { id, dealname, firstName, lastName, city, state, stage, amount }
}
