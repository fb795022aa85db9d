import type { ExpectedFigure } from '#server/insight/wire.ts'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import { nameFields } from '../deals/deal-text.ts'

/** Installed, unpaid deals. Service tickets are excluded, because they are not paid for. */
export const unpaidFilter = { done: ['install'], isOpen: true, isPayable: true } satisfies DealFilter

export const byAmount: DealSort = { field: 'amount', direction: 'desc' }

/** Returns the deals to list by name: those with overdue payments, or else installed, unpaid deals. */
export function namedDeals(expected: readonly ExpectedFigure[]): { title: string; filter: DealFilter } {
  const overdue = expected.find(
    ({ name, period, count }) => name === 'payment' && period === 'overdue' && count > 0,
  )
  return overdue === undefined
    ? { title: 'Largest installed, unpaid deals', filter: unpaidFilter }
    : { title: 'Overdue payments', filter: overdue.filter }
}

/** Returns the input that finds the largest of the deals that match `filter`. */
export const largestInput = (filter: DealFilter) => ({
  filter,
  sort: byAmount,
  fields: [...nameFields, ...(['amount', 'held', 'installComplete', 'fundingSubmitted'] as const)],
  limit: 8,
})
