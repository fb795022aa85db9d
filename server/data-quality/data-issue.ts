import type { DataIssue } from '../deals/data-issue-rules.ts'
import type { DealField } from '../deals/deal.ts'

/** Data issues that concern a single deal, or several deals. */
export type DataIssueName = DataIssue | 'sameAddress'

/** The number of deals with an issue, or a lower bound if `isMore`. */
export interface DataIssueCount {
  count: number
  isMore: boolean
}

/** The deals that share an address. */
export interface AddressTotals {
  /** Number of deals that share their address with another deal. */
  deals: number
  /** The IDs of the first of these deals, grouped by address. */
  first: string[]
}

/** A deal that has a data issue. */
export interface FlaggedDeal {
  id: string
  name: string
  /** Name of the deal's partner; null if the deal has no partner. */
  partner: string | null
  /** The fields that the issue concerns, each with its value as JSON. */
  fields: { field: DealField; json: string }[]
}
