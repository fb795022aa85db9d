import type { ReadDatabase } from '#db/client.ts'
import { isEveryone } from '../../accounts/partner.ts'
import { countDeals } from '../../deals/find/count-store.ts'
import { resolveQuery } from '../../deals/find/resolve-query.ts'
import { findDeals } from '../../deals/find/store.ts'
import type { DealFilter } from '../../deals/find/wire.ts'
import { heldOf } from '../../deals/milestones/money.ts'
import { parseKnown } from '../../deals/render.ts'
import { type TotalsDeps, countingDb, readOrCountTotals } from '../../deals/totals/read-totals.ts'
import { type Zone, dayNumberOf, utc } from '../../protocol/zone.ts'
import { type StageOf, makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import { type HomeTotals, counterOf, tallyOf, undatedOf } from '../group.ts'
import { readMoney } from '../money/read-money.ts'
import type { MoneyFigures } from '../money/wire.ts'
import { type AttentionName, allowedDays, attentionNames } from '../question.ts'
import { type NewsReader, lineOf, readNews } from '../read-news.ts'
import { homeTotals } from '../store.ts'
import type { AttentionFigure, AttentionLine, Home, HomeScope } from './wire.ts'

/** Deals to talk about. */
const attentionMax = 10

/** Returns what the viewer's deals, or everyone's, need at `now`. */
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
    countMatching(db, actor, { isMine: true, isOpen: true }),
  ])
  const isNamed = mine.count > 0
  const show = wanted ?? (isNamed ? 'mine' : 'everyone')
  const scope: DealFilter = show === 'mine' ? { isMine: true } : {}
  const stageOf = makeStageOf(stages)
  const { count: dealCount } = tallyOf(totals.groups)
  const [notCreated] = undatedOf(totals, stageOf)
  const reasons = await readReasons(db, actor, scope, totals, stageOf)
  const [attention, news, payments] = await Promise.all([
    readAttention(db, actor, reasons, stageOf, totals.today, now),
    isEveryone(tenant) ? null : readNews(deps.db, actor, scope, now),
    readPayments(db, actor, scope, money),
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

const countMatching = async (db: ReadDatabase, actor: NewsReader, filter: DealFilter) =>
  countDeals(db, await resolveQuery(actor, filter))

/** Returns the reasons for attention that deals have: counted for everyone by the totals, or else one by one. */
async function readReasons(
  db: ReadDatabase,
  actor: NewsReader,
  scope: DealFilter,
  totals: HomeTotals,
  stageOf: StageOf,
): Promise<AttentionFigure[]> {
  const counted = counterOf(totals, stageOf)
  const all = await Promise.all(
    attentionNames.map(async (name): Promise<AttentionFigure> => {
      const { filter, sort, count } = counted(name)
      if (count === 0 || scope.isMine !== true) return { name, count, isMore: false, filter, sort }
      const own = { ...filter, ...scope }
      const found = await countMatching(db, actor, own)
      return { name, count: found.count, isMore: found.isMore, filter: own, sort }
    }),
  )
  return all.filter(({ count }) => count > 0)
}

/** Returns the deals with reasons for attention, once each, the most dollars for the longest time first. */
async function readAttention(
  db: ReadDatabase,
  actor: NewsReader,
  reasons: AttentionFigure[],
  stageOf: StageOf,
  today: string,
  now: Date,
): Promise<AttentionLine[]> {
  const found = await Promise.all(
    reasons.map(async ({ name, filter, sort }) => {
      const query = await resolveQuery(actor, filter)
      const { deals } = await findDeals(db, query, sort, null, attentionMax)
      return deals.map(({ json, given }): AttentionLine => {
        const deal = parseKnown(json, given)
        const since = deal[sort.field] as string | null
        return {
          deal: lineOf(json),
          name,
          ...daysOf(name, since, today, actor.zone),
          held: heldOf(deal, stageOf(deal.stage), now.getTime()),
        }
      })
    }),
  )
  const ranked = found.flat().toSorted((a, b) => dollarDays(b) - dollarDays(a) || lateness(b) - lateness(a))
  return [...Map.groupBy(ranked, ({ deal }) => deal.id).values()]
    .map(([first]) => first!)
    .slice(0, attentionMax)
}

const lateness = ({ daysLate, days }: AttentionLine) => daysLate ?? days ?? 0
const dollarDays = (line: AttentionLine) => (line.deal.amount ?? 0) * lateness(line)

/** Returns the days since a date, and those beyond the tolerance of the reason. */
function daysOf(name: AttentionName, since: string | null, today: string, zone: Zone) {
  if (since === null) return { days: null, daysLate: null }
  const days = Math.max(0, dayNumberOf(today, utc) - dayNumberOf(since, zone))
  return { days, daysLate: Math.max(0, days - allowedDays[name]) }
}

const monthPeriods: ReadonlySet<string> = new Set(['overdue', 'thisWeek', 'nextWeek', 'laterThisMonth'])

/** Returns the payments of the Money page until the end of the month, those of `scope` counted one by one. */
async function readPayments(
  db: ReadDatabase,
  actor: NewsReader,
  scope: DealFilter,
  money: MoneyFigures,
): Promise<Home['payments']> {
  const own = async <Figure extends { count: number; amount: number; filter: DealFilter }>(
    figure: Figure,
  ) => {
    if (scope.isMine !== true || figure.count === 0) return figure
    const filter = { ...figure.filter, ...scope }
    const { count, amount } = await countMatching(db, actor, filter)
    return { ...figure, count, amount: amount ?? 0, filter }
  }
  const [expected, notExpected] = await Promise.all([
    Promise.all(
      money.expected.filter(({ name, period }) => name === 'payment' && monthPeriods.has(period)).map(own),
    ),
    Promise.all(money.notExpected.filter(({ name }) => name === 'payment' || name === 'unknown').map(own)),
  ])
  return { expected, notExpected: notExpected.filter(({ count }) => count > 0) }
}
