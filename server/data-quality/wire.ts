import { dataIssues } from '../deals/data-issue-rules.ts'
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
