import type { Fragment, ISql } from 'postgres'
import { type TimeField, columnOf, timeFields } from '../deals/columns.ts'
import { timeOf } from './step-store.ts'
import type { SortField } from './wire.ts'

/** What deals can be sorted by: a field, or in REST their ids. */
export type OrderField = SortField | 'id'

/** A field to sort by, and the direction. */
export interface DealOrder {
  field: OrderField
  direction: 'asc' | 'desc'
}

/** An order of deals: by a key, unknown values last, and ties by id. */
export interface Order {
  key: Fragment
  type: Fragment
  direction: Fragment
  /** The operator for "comes after". */
  beyond: Fragment
}

/** Fields with an index on a partner's deals in their order (`db/schema/deals.ts`). */
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

/** Those with an index on the deals of all partners in their order. */
const orderedOfAll: ReadonlySet<OrderField> = new Set<OrderField>(['id', 'lastModified', 'createDate'])

/** Returns whether an index has the deals of a partner, or of all partners, in the order of a field. */
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

/** Returns an order of deals as SQL. */
export const orderOf = (sql: ISql, { field, direction }: DealOrder): Order => ({
  key: sortKeyOf(sql, field),
  type: sql.unsafe(typeOf(field)),
  direction: sql.unsafe(direction),
  beyond: sql.unsafe(direction === 'asc' ? '>' : '<'),
})
