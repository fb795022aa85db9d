import type { TimeField } from '#server/deals/columns.ts'
import { type NewsKind, newsKinds, newsLabels } from '#server/search/filters.ts'
import type { Patch } from '../active-filters.ts'
import { fieldLabels, isDuration, labelledTimeFields } from '../field-labels.ts'
import type { FilterState } from '../query.ts'

/** A date field or a kind of change that can be filtered by day. */
export type DayFilter = TimeField | NewsKind

export const isNews = (field: DayFilter): field is NewsKind =>
  (newsKinds as readonly string[]).includes(field)

export const dayFilterLabel = (field: DayFilter) =>
  isNews(field) ? newsLabels[field] : fieldLabels[field].label

/** Date fields that can be filtered by day. Time in stage has its own filter. */
export const dateFields = labelledTimeFields.filter((field) => !isDuration(field))

export const dayFilters: readonly DayFilter[] = [...newsKinds, ...dateFields]

/** Returns the selected choice for a date field: `any`, `is set`, `no date`, or the days of the query. */
export function dateChoiceOf(state: FilterState, field: DayFilter): string {
  const days = state[field]
  if (days !== null) return days
  if (isNews(field)) return 'any'
  if (state.has.includes(field)) return 'is set'
  return state.lacks.includes(field) ? 'no date' : 'any'
}

/** Returns the change that sets the filter of one date field and keeps the others. */
export function withDateChoice(state: FilterState, field: DayFilter, choice: string): Patch {
  if (isNews(field)) return { [field]: choice === 'any' ? null : choice }
  const others = <Name extends string>(fields: Name[]) => fields.filter((each) => each !== field)
  return {
    has: [...others(state.has), ...(choice === 'is set' ? [field] : [])],
    lacks: [...others(state.lacks), ...(choice === 'no date' ? [field] : [])],
    [field]: ['any', 'is set', 'no date'].includes(choice) ? null : choice,
  }
}
