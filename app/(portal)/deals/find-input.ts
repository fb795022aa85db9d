import type { DealField } from '#server/deals/deal.ts'
import type { DerivedColumn } from '#server/deals/milestones/derived-columns.ts'
import { nameFields } from './deal-name.ts'
import { derivedColumn } from './derived-columns.ts'
import { type ColumnId, type DealsState, columnsOf, filterOf, sortOf, standardColumnsFor } from './query.ts'

/** Number of deals per request. */
export const pageSize = 50

function fieldsOf(column: ColumnId): readonly (DealField | DerivedColumn)[] {
  if (column === 'dealname') return nameFields
  return [derivedColumn(column)?.from ?? (column as DealField)]
}

/**
 * Returns the procedure's input for a state. Always requests the default columns, because cards need them and
 * users can show them again without a reload.
 */
export function findInput(state: DealsState, today: string, seesAllPartners: boolean) {
  const fields = [
    ...new Set<DealField | DerivedColumn>([
      ...[...standardColumnsFor(seesAllPartners), ...columnsOf(state, seesAllPartners)].flatMap(fieldsOf),
      'isUnseen',
    ]),
  ].toSorted()
  return { filter: filterOf(state, today), sort: sortOf(state), fields, limit: pageSize }
}
