import type { DataIssue } from '../deals/data-issue-kind.ts'
import type { DealField } from '../deals/deal.ts'

/** Data issues: of a single deal, or between deals. */
export type DataIssueName = DataIssue | 'sameAddress'

/** The number of deals with an issue; `isMore` if counting stopped early. */
export interface DataIssueCount {
  count: number
  isMore: boolean
}

/** Deals at one address, by id. */
export interface AddressTotals {
  /** Number of deals that share their address with another one. */
  deals: number
  /** The ids of the first of them, address by address. */
  first: string[]
}

/** A deal with an issue. */
export interface FlaggedDeal {
  id: string
  name: string
  /** The name of its partner; null without one. */
  partner: string | null
  /** The fields that the issue concerns, with their values as JSON. */
  fields: { field: DealField; json: string }[]
}
