import type { DataIssue } from '../deals/data-issue-kind.ts'
import type { DealField } from '../deals/deal.ts'

/** Data issues: of a single deal, or between deals. */
export type DataIssueName = DataIssue | 'sameAddress'

/** The number of deals with an issue; `isMore` when counting stopped early. */
export interface DataIssueCount {
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

/** A deal of an issue. */
export interface FlaggedDeal {
  id: string
  name: string
  /** The name of its partner; null for a deal without one. */
  partner: string | null
  /** The fields that the issue is about, with their values as JSON. */
  fields: { field: DealField; json: string }[]
}
