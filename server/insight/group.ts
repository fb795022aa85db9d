import { type StageOf, compareStages, isClosed } from '../stages/stage.ts'
import type { Tally } from './question.ts'
import type { StageCount, WeekCount } from './wire.ts'

/** Deals that the overview does not tell apart. */
export interface DealGroup extends Tally {
  /** An empty text: of none. */
  stage: string
  /** Which questions count them: the bit `1 << index` of each. */
  asked: number
  /** The week, counted from the first that is shown, in which they were created, installed, funded; null: before that, or not at all. */
  created: number | null
  installed: number | null
  funded: number | null
}

/** Returns what groups add up to. */
export function tallyOf(groups: Tally[]): Tally {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    amount: groups.reduce((sum, { amount }) => sum + amount, 0),
  }
}

/** Returns what a question counts, by its index. */
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
    .map(({ stage: { name, kind }, tally }) => ({ stage: name, ...tally, kind }))
}

/** Returns what happened in each week; `weeks` are their first days. */
export function weekCountsOf(groups: DealGroup[], weeks: string[]): WeekCount[] {
  const counts = weeks.map((from) => ({ from, created: 0, installed: 0, funded: 0 }))
  for (const group of groups) {
    for (const milestone of ['created', 'installed', 'funded'] as const) {
      const week = group[milestone]
      // What is dated ahead is in none of them.
      if (week !== null && counts[week] !== undefined) counts[week][milestone] += group.count
    }
  }
  return counts
}
