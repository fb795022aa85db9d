import type { Fragment, ISql } from 'postgres'
import { type TimeField, columnOf, timeFields } from '../deals/columns.ts'
import { timeOf } from './step-store.ts'
import type { DealSort, SortField } from './wire.ts'

/** An order of deals: by a key, unknown values last, and ties by id. */
export interface Order {
  key: Fragment
  type: Fragment
  direction: Fragment
  /** The operator for "comes after". */
  beyond: Fragment
}

/** Fields with an index on a partner's deals in their order (`db/schema/deals.ts`). */
const orderedFields: ReadonlySet<SortField> = new Set<SortField>([
  'dealname',
  'stage',
  'state',
  'amount',
  'systemSize',
  'lastModified',
  'createDate',
  'timeInCurrentStage',
])

/** Returns whether an index has the deals of a partner, or of all partners, in the order of a field. */
export const hasOrder = (field: SortField, isOfAll: boolean) =>
  isOfAll ? field === 'lastModified' : orderedFields.has(field)

const textFields: readonly SortField[] = ['city', 'state', 'stage', 'pipeline']

const isTime = (field: SortField): field is TimeField => (timeFields as readonly string[]).includes(field)

function typeOf(field: SortField): string {
  if (field === 'dealname' || textFields.includes(field)) return 'text'
  if (field === 'amount' || field === 'systemSize') return 'float8'
  return 'timestamptz'
}

/** Returns the sort key of a field. */
export function sortKeyOf(sql: ISql, field: SortField): Fragment {
  if (field === 'dealname') return sql.unsafe('name_key')
  if (textFields.includes(field)) return sql.unsafe(`lower(${columnOf(field)}) collate "C"`)
  return isTime(field) ? timeOf(sql, field) : sql.unsafe(columnOf(field))
}

/** Returns an order of deals as SQL. */
export const orderOf = (sql: ISql, { field, direction }: DealSort): Order => ({
  key: sortKeyOf(sql, field),
  type: sql.unsafe(typeOf(field)),
  direction: sql.unsafe(direction),
  beyond: sql.unsafe(direction === 'asc' ? '>' : '<'),
})
