import type { Fragment, ISql } from 'postgres'
import { type TimeField, columnOf, timeFields } from '../deals/columns.ts'
import { timeOf } from './step-store.ts'
import type { SortField } from './wire.ts'

export type OrderField = SortField | 'id'

export interface DealOrder {
  field: OrderField
  direction: 'asc' | 'desc'
}

/** A sort order of deals: by a key, with unknown values last and ties sorted by id. */
export interface Order {
  key: Fragment
  type: Fragment
  direction: Fragment
  beyond: Fragment
}

/** Fields for which an index has a partner's deals in order (`db/schema/deals.ts`). */
const orderedFields: ReadonlySet<OrderField> = new Set<OrderField>([
  'id',
  'dealname',
  'stage',
  'state',
  'amount',
  'systemSize',
  'lastModified',
  'createDate',
  'timeInCurrentStage',
])

/** Fields for which an index has the deals of all partners in order. */
const orderedOfAll: ReadonlySet<OrderField> = new Set<OrderField>(['id', 'lastModified', 'createDate'])

/** Returns true if an index has the deals of one partner, or of all partners, in the order of this field. */
export const hasOrder = (field: OrderField, isOfAll: boolean) =>
  isOfAll ? orderedOfAll.has(field) : orderedFields.has(field)

const textFields: readonly OrderField[] = ['city', 'state', 'stage', 'pipeline']

const isTime = (field: OrderField): field is TimeField => (timeFields as readonly string[]).includes(field)

function typeOf(field: OrderField): string {
  if (field === 'id') return 'bigint'
  if (field === 'dealname' || textFields.includes(field)) return 'text'
  if (field === 'amount' || field === 'systemSize') return 'float8'
  return 'timestamptz'
}

/** Returns the sort key of a field. */
export function sortKeyOf(sql: ISql, field: OrderField): Fragment {
  if (field === 'dealname') return sql.unsafe('name_key')
  if (textFields.includes(field)) return sql.unsafe(`lower(${columnOf(field)}) collate "C"`)
  return isTime(field) ? timeOf(sql, field) : sql.unsafe(columnOf(field))
}

/** Returns a sort order of deals as SQL. */
export const orderOf = (sql: ISql, { field, direction }: DealOrder): Order => ({
  key: sortKeyOf(sql, field),
  type: sql.unsafe(typeOf(field)),
  direction: sql.unsafe(direction),
  beyond: sql.unsafe(direction === 'asc' ? '>' : '<'),
})
