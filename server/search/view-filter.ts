import { parseFilter } from './filter-text.ts'
import type { FilterInput } from './filters.ts'
import type { RelativeDays } from './relative-days.ts'
import { DealFilter, namesOf } from './wire.ts'

/** The filter of a saved view, with its relative days apart. */
export interface ViewFilter {
  filter: FilterInput
  relativeDays: RelativeDays
}

/**
 * Returns the filter of a saved view's query, as the deals page reads it; null if the procedures would reject
 * it. The order and the columns of the view are not part of it.
 */
export function readViewFilter(query: string): ViewFilter | null {
  const { filter, relativeDays } = parseFilter(new URLSearchParams(query), namesOf)
  const parsed = DealFilter.safeParse(filter)
  return parsed.success ? { filter: parsed.data, relativeDays } : null
}
