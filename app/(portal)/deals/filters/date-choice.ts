import type { TimeField } from '#server/deals/columns.ts'
import { type NewsKind, newsKinds, newsLabels } from '#server/search/news.ts'
import type { Patch } from '../active-filters.ts'
import { fieldLabels, isDuration, labelledTimeFields } from '../field-labels.ts'
import type { FilterState } from '../query.ts'

/** A date of the deal, or a change to it, that a filter by day can use. */
export type DayFilter = TimeField | NewsKind

export const isNews = (field: DayFilter): field is NewsKind =>
  (newsKinds as readonly string[]).includes(field)

/** Returns the label of such a filter. */
export const dayFilterLabel = (field: DayFilter) =>
  isNews(field) ? newsLabels[field] : fieldLabels[field].label

/** The dates that can be filtered by day; time in stage is a separate filter. */
export const dateFields = labelledTimeFields.filter((field) => !isDuration(field))

/** Everything that can be filtered by day. */
export const dayFilters: readonly DayFilter[] = [...newsKinds, ...dateFields]

/** Returns the choice for a date: `any`, `is set`, `no date`, or the days of the query. */
export function dateChoiceOf(state: FilterState, field: DayFilter): string {
  const days = state[field]
  if (days !== null) return days
  if (isNews(field)) return 'any'
  if (state.has.includes(field)) return 'is set'
  return state.lacks.includes(field) ? 'no date' : 'any'
}

/** Returns the change that sets the filter of a date, and leaves those of other dates. */
export function withDateChoice(state: FilterState, field: DayFilter, choice: string): Patch {
  if (isNews(field)) return { [field]: choice === 'any' ? null : choice }
  const others = <Name extends string>(fields: Name[]) => fields.filter((each) => each !== field)
  return {
    has: [...others(state.has), ...(choice === 'is set' ? [field] : [])],
    lacks: [...others(state.lacks), ...(choice === 'no date' ? [field] : [])],
    [field]: ['any', 'is set', 'no date'].includes(choice) ? null : choice,
  }
}
