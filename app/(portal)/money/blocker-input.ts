import type { DealFilter, DealSort } from '#server/search/wire.ts'
import { nameFields } from '../deals/deal-name.ts'

/** Deals that are installed and not paid, including those with an unknown next step; service tickets wait for none. */
export const unpaidFilter = { done: ['install'], isOpen: true, isPayable: true } satisfies DealFilter

export const byAmount: DealSort = { field: 'amount', direction: 'desc' }

/** Finds the largest of them. */
export const blockerInput = {
  filter: unpaidFilter,
  sort: byAmount,
  fields: [...nameFields, ...(['amount', 'held', 'installComplete', 'fundingSubmitted'] as const)],
  limit: 8,
}
