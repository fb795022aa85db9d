import { type DataIssue, dataIssues } from '../deals/data-issue-rules.ts'
import type { DealField } from '../deals/deal.ts'
import { z } from '../values/input.ts'
import { parseInt64 } from '../values/int64.ts'

/** The address fields by which deals are compared. */
export const addressFields = ['streetAddress', 'city', 'zipCode'] satisfies DealField[]

export const ChooseIssue = z.object({ issue: z.enum(['sameAddress', ...dataIssues]) })

/** Selects the deals with an issue after this cursor, or the first ones. */
export const ListIssue = ChooseIssue.extend({
  cursor: z
    .string()
    .max(20)
    .refine((text) => parseInt64(text) !== null, { error: 'must be a cursor' })
    .nullish(),
})

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
