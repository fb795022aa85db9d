import type { TimeField } from '#server/deals/find/columns.ts'
import type { Patch } from '../active-filters.ts'
import { isDuration, labelledTimeFields } from '../field-labels.ts'
import type { FilterState } from '../query.ts'

/** The dates that are filtered by day; how long deals are in their stage is a filter of its own. */
export const dateFields = labelledTimeFields.filter((field) => !isDuration(field))

/** Returns the choice for a date: `any`, `is set`, `not yet`, or the days of the query. */
export function dateChoiceOf(state: FilterState, field: TimeField): string {
  const days = state[field]
  if (days !== null) return days
  if (state.has.includes(field)) return 'is set'
  return state.lacks.includes(field) ? 'not yet' : 'any'
}

/** Returns the change that filters a date by this choice alone. */
export function withDateChoice(state: FilterState, field: TimeField, choice: string): Patch {
  const others = (fields: TimeField[]) => fields.filter((each) => each !== field)
  return {
    has: [...others(state.has), ...(choice === 'is set' ? [field] : [])],
    lacks: [...others(state.lacks), ...(choice === 'not yet' ? [field] : [])],
    [field]: ['any', 'is set', 'not yet'].includes(choice) ? null : choice,
  }
}
