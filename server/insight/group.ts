import type { Tally } from './question.ts'
import { isClosed } from './stage.ts'
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
  /** How many milestones they have reached, taken together. */
  progress: number
}

/** Returns what groups add up to. */
export function tallyOf(groups: Tally[]): Tally {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    amount: groups.reduce((sum, { amount }) => sum + amount, 0),
  }
}

/** Returns what a question counts, by its index. */
export function answerOf(groups: DealGroup[], index: number, isOpen: boolean): Tally {
  return tallyOf(
    groups.filter(({ stage, asked }) => (asked & (1 << index)) !== 0 && !(isOpen && isClosed(stage))),
  )
}

/** Returns the stages in the order in which deals get there, those at the end last. */
export function stagesOf(groups: DealGroup[]): StageCount[] {
  const stages = [...Map.groupBy(groups, ({ stage }) => stage)].map(
    ([stage, ofStage]): { shown: StageCount; progress: number } => {
      const tally = tallyOf(ofStage)
      return {
        shown: { stage, ...tally, isClosed: isClosed(stage) },
        progress: ofStage.reduce((sum, { progress }) => sum + progress, 0) / tally.count,
      }
    },
  )
  return stages
    .toSorted(
      (a, b) =>
        Number(a.shown.isClosed) - Number(b.shown.isClosed) ||
        a.progress - b.progress ||
        (a.shown.stage < b.shown.stage ? -1 : 1),
    )
    .map(({ shown }) => shown)
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
