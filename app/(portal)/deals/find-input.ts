import type { DealField } from '#server/deals/deal.ts'
import { plannedFields, reachedFields } from './milestone.ts'
import { type ColumnId, type DealsState, columnsOf, filterOf, sortOf, standardColumns } from './query.ts'

/** How many deals are asked for at once. */
const pageSize = 50

const fieldsOf = (column: ColumnId): DealField[] => {
  if (column === 'milestone') return [...plannedFields, ...reachedFields]
  return column === 'dealname'
    ? ['dealname', 'firstName', 'lastName', 'streetAddress', 'city', 'state', 'zipCode']
    : [column]
}

/** What the procedure is asked for the state. The standard columns always come along: cards show them, and one that is shown again is there at once. */
export function findInput(state: DealsState, today: string) {
  const fields = [...new Set([...standardColumns, ...columnsOf(state)].flatMap(fieldsOf))].toSorted()
  return { filter: filterOf(state, today), sort: sortOf(state), fields, limit: pageSize }
}
