import type { DealField } from '../deals/deal.ts'
import { isTechnical } from '../deals/event.ts'
import { type StageOf, isClosed } from '../stages/stage.ts'
import { type Tally, tallyOf } from '../values/units.ts'
import {
  type AttentionName,
  type QuestionName,
  type UndatedName,
  questionsOf,
  undatedNames,
} from './question.ts'
import type { NetChange, Counted, WeekCount } from './wire.ts'

/** Deals that the attention counts of Home treat the same. */
export interface AttentionGroup extends Tally {
  stage: string
  /** Bit mask of the matching questions: bit `1 << index` for each question. */
  matched: number
}

/** Deals that all totals of Home treat the same. */
export interface DealGroup extends AttentionGroup {
  /**
   * Weeks in which the deals were created, installed and funded, counted from the first week shown. Null if
   * earlier or never.
   */
  created: number | null
  installed: number | null
  funded: number | null
}

/**
 * The totals that Home is computed from, as of a day such as `2026-03-01`. A change to this type needs a new
 * name of `homeTotals`, because the totals are stored.
 */
export interface HomeTotals {
  today: string
  groups: AttentionGroup[]
  /** The deals (ids) that have had each reason for attention for the longest time. */
  longest: Record<AttentionName, string[]>
  weeks: WeekCount[]
}

/** Merges groups that differ only in their weeks. */
export function withoutWeeks(groups: DealGroup[]): AttentionGroup[] {
  return [...Map.groupBy(groups, ({ stage, matched }) => `${matched} ${stage}`).values()].map((alike) => ({
    stage: alike[0]!.stage,
    matched: alike[0]!.matched,
    ...tallyOf(alike),
  }))
}

/** Returns a function that counts the deals of a question and returns the filter of their list. */
export function counterOf({ today, groups }: HomeTotals, stageOf: StageOf) {
  // The questions are as of the day of the totals, so that the linked lists match the counts.
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

/** Returns the deals that the weekly counts leave out. */
export const undatedOf = (totals: HomeTotals, stageOf: StageOf): Counted<UndatedName>[] =>
  undatedNames.map(counterOf(totals, stageOf)).filter(({ count }) => count > 0)

/** Returns the counts of each week. `weeks` are the Mondays. */
export function weekCountsOf(groups: DealGroup[], weeks: string[]): WeekCount[] {
  const counts = weeks.map((from) => ({ from, created: 0, installed: 0, funded: 0 }))
  for (const group of groups) {
    for (const milestone of ['created', 'installed', 'funded'] as const) {
      const week = group[milestone]
      // Future dates are not in any week.
      if (week !== null && counts[week] !== undefined) counts[week][milestone] += group.count
    }
  }
  return counts
}

/** A change of one field, as recorded in an event. */
export interface FieldChange {
  field: DealField
  from: unknown
  to: unknown
}

/** Returns the net effect of changes that are sorted oldest first. */
export function netChange(changes: FieldChange[]): NetChange {
  const net = new Map<DealField, { from: unknown; to: unknown }>()
  for (const { field, from, to } of changes)
    net.set(field, { from: net.has(field) ? net.get(field)!.from : from, to })
  const different = [...net].filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
  const stage = different.find(([field]) => field === 'stage')?.[1] as NetChange['stage'] | undefined
  return {
    stage: stage ?? null,
    fields: different.map(([field]) => field).filter((field) => field !== 'stage' && !isTechnical(field)),
  }
}
