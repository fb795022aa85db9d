import { type StageOf, compareStages, isClosed } from '../stages/stage.ts'
import type { Tally } from './question.ts'
import type { StageCount, WeekCount } from './wire.ts'

/** Deals that the overview treats alike. */
export interface DealGroup extends Tally {
  /** Empty for deals without a stage. */
  stage: string
  /** The questions that count them: bit `1 << index` of each. */
  asked: number
  /**
   * The week, from the first one shown, in which they were created, installed or funded; null when earlier or
   * never.
   */
  created: number | null
  installed: number | null
  funded: number | null
}

/** Returns the totals of groups. */
export function tallyOf(groups: Tally[]): Tally {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    amount: groups.reduce((sum, { amount }) => sum + amount, 0),
  }
}

/** Returns the totals of a question, by its index. */
export function answerOf(groups: DealGroup[], stageOf: StageOf, index: number, isOpen: boolean): Tally {
  return tallyOf(
    groups.filter(
      ({ stage, asked }) => (asked & (1 << index)) !== 0 && !(isOpen && isClosed(stageOf(stage).kind)),
    ),
  )
}

/** Returns how many deals are in each stage, in the order of the stages. */
export function stagesOf(groups: DealGroup[], stageOf: StageOf): StageCount[] {
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
      // Future dates are in none of them.
      if (week !== null && counts[week] !== undefined) counts[week][milestone] += group.count
    }
  }
  return counts
}
