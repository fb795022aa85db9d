import type { DealField } from '../deals/deal.ts'
import type { DealFinding } from '../deals/finding-kind.ts'

/** Data issues: of a single deal, or between deals. */
export type FindingName = DealFinding | 'sameAddress'

/** How many deals there are of a finding; `isMore` when only so many were counted. */
export interface FindingCount {
  count: number
  isMore: boolean
}

/** Deals at one address, by their ids. */
export interface AddressTotals {
  /** Number of deals that share their address with another one. */
  deals: number
  /** The ids of the first of them, address by address. */
  first: string[]
}

/** A deal of a finding. */
export interface FlaggedDeal {
  id: string
  name: string
  /** The name of its partner; null for a deal without one. */
  partner: string | null
  /** The fields that the finding is about, with their values as JSON. */
  fields: { field: DealField; json: string }[]
}
