import type { TimeField } from '#server/deals/find/columns.ts'
import type { Patch } from '../active-filters.ts'
import type { FilterState } from '../query.ts'

/** What a date is filtered by: `any` by nothing, `is set`, `not yet`, otherwise days as they stand in the address. */
export function dateChoiceOf(state: FilterState, field: TimeField): string {
  return (
    state[field] ?? (state.has.includes(field) ? 'is set' : state.lacks.includes(field) ? 'not yet' : 'any')
  )
}

/** The change of the address that filters a date by this, and by nothing else. */
export function withDateChoice(state: FilterState, field: TimeField, choice: string): Patch {
  const others = (fields: TimeField[]) => fields.filter((each) => each !== field)
  return {
    has: [...others(state.has), ...(choice === 'is set' ? [field] : [])],
    lacks: [...others(state.lacks), ...(choice === 'not yet' ? [field] : [])],
    [field]: ['any', 'is set', 'not yet'].includes(choice) ? null : choice,
  }
}
