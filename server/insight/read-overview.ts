import type { Database } from '#db/client.ts'
import type { PartnerId, Reach } from '../accounts/partner.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { parseDeal } from '../deals/render.ts'
import { type Means, countingDb } from '../deals/totals/read-totals.ts'
import { dayMs } from '../protocol/units.ts'
import type { Zone } from '../protocol/zone.ts'
import { isClosed, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { answerOf, stagesOf, tallyOf } from './group.ts'
import { lateBy, ranked } from './lateness.ts'
import { netChange, newsAmong } from './news.ts'
import {
  type QuestionName,
  attentionNames,
  figureNames,
  partNames,
  questionFilter,
  questionsOf,
  waitingQuestion,
} from './question.ts'
import { readLongestInStage, readOverviewTotals, readTold, walkEvents } from './store.ts'
import type { Counted, DealLine, NewsSince, Overview } from './wire.ts'

const waitingCount = 8
const newsCount = 10
const firstVisitMs = 7 * dayMs

/** Returns the overview of the deals within reach at `now`, by the days of a zone, without the news. */
export async function readStanding(
  means: Means,
  reach: Reach,
  zone: Zone,
  now: Date,
): Promise<Omit<Overview, 'news'>> {
  const { db } = means
  const [{ totals, asOf }, known] = await Promise.all([
    readOverviewTotals(means, reach, zone, now),
    readStages(db, reach),
  ])
  const { today, groups, lateness, weeks } = totals
  // Those of the day of the totals, so that the lists behind them are the ones that were counted.
  const questions = questionsOf(today)
  const names = Object.keys(questions) as QuestionName[]
  const stageOf = makeStageOf(known)
  const stages = stagesOf(groups, stageOf)
  const counted = <Name extends QuestionName>(name: Name): Counted<Name> => {
    const { isOpen, sort } = questions[name]
    return {
      name,
      ...answerOf(groups, stageOf, names.indexOf(name), isOpen),
      filter: questionFilter(questions[name], stages),
      sort,
    }
  }
  const waitingFilter = questionFilter(waitingQuestion, stages)
  const openStages = stages.flatMap(({ stage, kind }) => (isClosed(kind) ? [] : [stage]))
  return {
    dealCount: tallyOf(groups).count,
    figures: figureNames.map(counted),
    parts: partNames.map(counted),
    attention: ranked(
      attentionNames
        .map((name) => ({ ...counted(name), ...lateBy(name, lateness, stageOf, today, zone) }))
        .filter(({ count }) => count > 0),
    ),
    stages,
    waiting: (await readLongestInStage(countingDb(means, reach), reach, openStages, waitingCount)).map(
      lineOf,
    ),
    waitingFilter,
    weeks,
    asOf: asOf?.toISOString() ?? null,
  }
}

/**
 * Returns the news since the previous visit of a user; on the first visit, and for a system, since some days
 * ago.
 */
export async function readNews(
  db: Database,
  partnerId: PartnerId,
  userId: number | null,
  now: Date,
): Promise<NewsSince> {
  const visit = userId === null ? null : await readLastVisit(db, userId)
  const since = visit ?? new Date(now.getTime() - firstVisitMs)
  const { after, isCut, deals } = newsAmong(await walkEvents(db, partnerId, since))
  const shown = deals.slice(0, newsCount)
  const told = await readTold(
    db,
    partnerId,
    after,
    shown.map(({ dealId }) => dealId),
  )
  const newCount = deals.filter(({ isNew }) => isNew).length
  return {
    since: since.toISOString(),
    isVisit: visit !== null,
    after,
    isCut,
    newCount,
    changedCount: deals.length - newCount,
    lines: shown.flatMap(({ dealId, isNew }) => {
      const deal = told.get(dealId)
      return deal === undefined
        ? []
        : [{ deal: lineOf(deal.json), isNew, time: deal.time, ...netChange(deal.changes) }]
    }),
  }
}

function lineOf(json: string): DealLine {
  const { id, dealname, firstName, lastName, city, state, stage, timeInCurrentStage, amount } =
    parseDeal(json)
  return { id, dealname, firstName, lastName, city, state, stage, timeInCurrentStage, amount }
}
