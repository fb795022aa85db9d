import type { FilterInput } from '#server/search/filters.ts'
import type { DealSort } from '#server/search/wire.ts'
import { dealsHref, stateOf } from '../deals/query.ts'

/** Returns the URL of the list of matching deals. */
export const listHref = (filter: FilterInput, sort: DealSort | null = null): string =>
  dealsHref({ ...stateOf(filter), sort })
