import type { Database } from '#db/client.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { countDeals } from '../deals/find/count-store.ts'
import { newsKinds } from '../deals/find/news.ts'
import type { DayRange } from '../deals/find/step-store.ts'
import type { DealFilter } from '../deals/find/wire.ts'
import { parseDeal } from '../deals/render.ts'
import { type TotalsDeps, countingDb, readOrCountTotals } from '../deals/totals/read-totals.ts'
import { type DayWindow, daysOfWindow, windowSince } from '../protocol/day-window.ts'
import { type Zone, dayOf } from '../protocol/zone.ts'
import { type StageOf, isClosed, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { type OverviewTotals, answerOf, stagesOf, tallyOf } from './group.ts'
import { lateBy, ranked } from './lateness.ts'
import { byRep, netChange } from './news.ts'
import {
  type QuestionName,
  attentionNames,
  figureNames,
  partNames,
  questionFilter,
  questionsOf,
  unclearNames,
  undatedNames,
  waitingQuestion,
} from './question.ts'
import { overviewTotals, readLongestInStage, readNewest, readDealNews } from './store.ts'
import type { Counted, DealLine, News, NewsLine, Overview } from './wire.ts'

const waitingCount = 8
const newsCount = 10
const firstVisitWindow: DayWindow = 'last-7-days'

/** Returns the overview of the tenant's deals at `now`, by days in the zone, without news. */
export async function readOverviewWithoutNews(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<Omit<Overview, 'news'>> {
  const { db } = deps
  const [{ totals, asOf }, known] = await Promise.all([
    readOrCountTotals(deps, tenant, overviewTotals, zone, now),
    readStages(db, tenant),
  ])
  const { today, groups, lateness, weeks } = totals
  const stageOf = makeStageOf(known)
  const stages = stagesOf(groups, stageOf)
  const counted = counterOf(totals, stageOf)
  const waitingFilter = questionFilter(waitingQuestion, stages)
  const openStages = stages.flatMap(({ stage, kind }) => (isClosed(kind) ? [] : [stage]))
  return {
    dealCount: tallyOf(groups).count,
    figures: figureNames.map(counted),
    parts: partNames.map(counted),
    unclear: unclearNames.map(counted).filter(({ count }) => count > 0),
    attention: ranked(
      attentionNames
        .map((name) => ({ ...counted(name), ...lateBy(name, lateness, stageOf, today, zone) }))
        .filter(({ count }) => count > 0),
    ),
    stages,
    waiting: (await readLongestInStage(countingDb(deps, tenant), tenant, openStages, waitingCount)).map(
      lineOf,
    ),
    waitingFilter,
    weeks,
    undated: undatedOf(totals, stageOf),
    asOf,
  }
}

/** Returns the filter that counts the deals of a question. */
function counterOf({ today, groups }: OverviewTotals, stageOf: StageOf) {
  // For the day of the totals, so that the linked lists match the counts.
  const questions = questionsOf(today)
  const names = Object.keys(questions) as QuestionName[]
  const stages = stagesOf(groups, stageOf)
  return <Name extends QuestionName>(name: Name): Counted<Name> => {
    const { isOpen, sort } = questions[name]
    return {
      name,
      ...answerOf(groups, stageOf, names.indexOf(name), isOpen),
      filter: questionFilter(questions[name], stages),
      sort,
    }
  }
}

/** Returns the deals that the weeks leave out. */
export const undatedOf = (totals: OverviewTotals, stageOf: StageOf): Overview['undated'] =>
  undatedNames.map(counterOf(totals, stageOf)).filter(({ count }) => count > 0)

/** Returns the news of a window of days, by default the shortest one that contains the user's last visit. */
export async function readNews(
  db: Database,
  partnerId: PartnerId,
  { userId, chosen }: { userId: number | null; chosen: DayWindow | null },
  zone: Zone,
  now: Date,
): Promise<News> {
  const today = dayOf(now, zone)
  const visit = userId === null ? null : await readLastVisit(db, userId)
  const window = chosen ?? (visit === null ? firstVisitWindow : windowSince(dayOf(visit, zone), today))
  const days = daysOfWindow(window, today)
  const [counts, newest] = await Promise.all([
    Promise.all(
      newsKinds.map(async (name) => {
        const filter: DealFilter = { news: { [name]: days } }
        const { count, isMore } = await countDeals(db, { tenant: partnerId, filter, zone })
        return { name, count, isMore, filter }
      }),
    ),
    readNewest(db, partnerId, days, zone, newsCount),
  ])
  return {
    window,
    lastVisit: visit?.toISOString() ?? null,
    counts,
    lines: byRep(await readNewsLines(db, partnerId, days, zone, newest)),
  }
}

/** Returns the news of these deals from the events of some days, in order. */
export async function readNewsLines(
  db: Database,
  tenant: TenantScope,
  days: DayRange,
  zone: Zone,
  dealIds: string[],
): Promise<NewsLine[]> {
  const dealNews = await readDealNews(db, tenant, days, zone, dealIds)
  return dealIds.flatMap((id) => {
    const deal = dealNews.get(id)
    if (deal === undefined) return []
    const { json, isNew, time, changes } = deal
    const rep = parseDeal(json).closerName?.trim() || null
    return [{ deal: lineOf(json), isNew, time, rep, ...netChange(changes) }]
  })
}

function lineOf(json: string): DealLine {
  const { id, dealname, firstName, lastName, city, state, stage, timeInCurrentStage, amount } =
    parseDeal(json)
  return { id, dealname, firstName, lastName, city, state, stage, timeInCurrentStage, amount }
}
