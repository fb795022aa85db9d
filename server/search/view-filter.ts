import { parseFilter } from './filter-text.ts'
import type { FilterInput } from './filters.ts'
import type { RelativeDays } from './relative-days.ts'
import { DealFilter, namesOf } from './wire.ts'

/** The filter of a saved view, with relative days kept separately. */
export interface ViewFilter {
  filter: FilterInput
  relativeDays: RelativeDays
}

/**
 * Returns the filter in a saved view's query, parsed as on the deals page, or null if the procedures would
 * reject the filter. Ignores the sort order and columns of the view.
 */
export function readViewFilter(query: string): ViewFilter | null {
  const { filter, relativeDays } = parseFilter(new URLSearchParams(query), namesOf)
  const parsed = DealFilter.safeParse(filter)
  return parsed.success ? { filter: parsed.data, relativeDays } : null
}
