import { toCents } from '../protocol/units.ts'
import { type StageOf, compareStages, isClosed } from '../stages/stage.ts'
import type { AttentionName, Tally } from './question.ts'
import type { StageCount, WeekCount } from './wire.ts'

/** Deals that the overview counts alike. */
export interface AttentionGroup extends Tally {
  /** Empty for deals without a stage. */
  stage: string
  /** The questions that count them: bit `1 << index` of each. */
  asked: number
}

/** Deals that the overview treats alike. */
export interface DealGroup extends AttentionGroup {
  /**
   * The week, from the first one shown, in which they were created, installed or funded; null if earlier or
   * never.
   */
  created: number | null
  installed: number | null
  funded: number | null
}

/** How late deals are by one of the dates. */
export interface Lateness {
  /** The earliest of the dates, in milliseconds since 1970; null without one. */
  earliestMs: number | null
  /** The sum of dollars times days since the date. */
  dollarDays: number
}

/** Lateness of the deals of a stage that need attention for one reason. */
export interface StageLateness extends Lateness {
  stage: string
  name: AttentionName
}

/**
 * The totals behind the overview, as of a day such as `2026-03-01`; rename the stored kind when they change.
 */
export interface OverviewTotals {
  today: string
  groups: AttentionGroup[]
  lateness: StageLateness[]
  weeks: WeekCount[]
}

/** Returns the groups regardless of weeks, which make up most of their number. */
export function withoutWeeks(groups: DealGroup[]): AttentionGroup[] {
  return [...Map.groupBy(groups, ({ stage, asked }) => `${asked} ${stage}`).values()].map((alike) => ({
    stage: alike[0]!.stage,
    asked: alike[0]!.asked,
    ...tallyOf(alike),
  }))
}

/** Returns the totals of groups. */
export function tallyOf(groups: Tally[]): Tally {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    amount: toCents(groups.reduce((sum, { amount }) => sum + amount, 0)),
  }
}

/** Returns the totals of a question, by index. */
export function answerOf(groups: AttentionGroup[], stageOf: StageOf, index: number, isOpen: boolean): Tally {
  return tallyOf(
    groups.filter(
      ({ stage, asked }) => (asked & (1 << index)) !== 0 && !(isOpen && isClosed(stageOf(stage).kind)),
    ),
  )
}

/** Returns the number of deals per stage, in stage order. */
export function stagesOf(groups: AttentionGroup[], stageOf: StageOf): StageCount[] {
  return [...Map.groupBy(groups, ({ stage }) => stage)]
    .map(([name, ofStage]) => ({ stage: stageOf(name), tally: tallyOf(ofStage) }))
    .toSorted((a, b) => compareStages(a.stage, b.stage))
    .map(({ stage: { name, kind, tone }, tally }) => ({ stage: name, ...tally, kind, tone }))
}

/** Returns the counts of each week; `weeks` are their first days. */
export function weekCountsOf(groups: DealGroup[], weeks: string[]): WeekCount[] {
  const counts = weeks.map((from) => ({ from, created: 0, installed: 0, funded: 0 }))
  for (const group of groups) {
    for (const milestone of ['created', 'installed', 'funded'] as const) {
      const week = group[milestone]
      // Future dates count in none of them.
      if (week !== null && counts[week] !== undefined) counts[week][milestone] += group.count
    }
  }
  return counts
}
