import { type StageOf, isClosed } from '../stages/stage.ts'
import { toCents } from '../values/units.ts'
import {
  type AttentionName,
  type QuestionName,
  type Tally,
  type UndatedName,
  questionsOf,
  undatedNames,
} from './question.ts'
import type { Counted, WeekCount } from './wire.ts'

/** Deals that Home counts alike. */
export interface AttentionGroup extends Tally {
  /** Empty for deals without a stage. */
  stage: string
  /** The questions that count them: bit `1 << index` of each. */
  matched: number
}

/** Deals that Home treats alike. */
export interface DealGroup extends AttentionGroup {
  /**
   * The week, from the first one shown, in which they were created, installed or funded; null if earlier or
   * never.
   */
  created: number | null
  installed: number | null
  funded: number | null
}

/** The totals behind Home, as of a day such as `2026-03-01`; rename the stored kind when they change. */
export interface HomeTotals {
  today: string
  groups: AttentionGroup[]
  /** The ids of the deals that have had each reason for the longest time. */
  longest: Record<AttentionName, string[]>
  weeks: WeekCount[]
}

/** Merges the groups that differ only in their weeks. */
export function withoutWeeks(groups: DealGroup[]): AttentionGroup[] {
  return [...Map.groupBy(groups, ({ stage, matched }) => `${matched} ${stage}`).values()].map((alike) => ({
    stage: alike[0]!.stage,
    matched: alike[0]!.matched,
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

/** Returns the function that counts the deals of a question, with the filter of their list. */
export function counterOf({ today, groups }: HomeTotals, stageOf: StageOf) {
  // For the day of the totals, so that the linked lists match the counts.
  const questions = questionsOf(today)
  const names = Object.keys(questions) as QuestionName[]
  return <Name extends QuestionName>(name: Name): Counted<Name> => {
    const { filter, sort } = questions[name]
    const bit = 1 << names.indexOf(name)
    const matching = groups.filter(
      ({ stage, matched }) =>
        (matched & bit) !== 0 && !(filter.isOpen === true && isClosed(stageOf(stage).kind)),
    )
    return { name, ...tallyOf(matching), filter, sort }
  }
}

/** Returns the deals that the weeks leave out. */
export const undatedOf = (totals: HomeTotals, stageOf: StageOf): Counted<UndatedName>[] =>
  undatedNames.map(counterOf(totals, stageOf)).filter(({ count }) => count > 0)

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
