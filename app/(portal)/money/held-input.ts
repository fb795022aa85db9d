import type { DealFilter, DealSort } from '#server/deals/find/wire.ts'
import type { Gate } from '#server/deals/milestones/money.ts'
import { nameFields } from '../deals/deal-name.ts'

/** The deals that are built and not paid. */
export const unpaidFilter = {
  gates: ['submit', 'approve', 'pay'] satisfies Gate[],
  isOpen: true,
} satisfies DealFilter

export const byAmount: DealSort = { field: 'amount', direction: 'desc' }

/** Finds the largest of them. */
export const heldInput = {
  filter: unpaidFilter,
  sort: byAmount,
  fields: [...nameFields, ...(['amount', 'held', 'installComplete', 'fundingSubmitted'] as const)],
  limit: 10,
}
