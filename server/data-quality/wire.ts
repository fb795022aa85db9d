import { dataIssues } from '../deals/data-issue-kind.ts'
import type { DealField } from '../deals/deal.ts'
import { z } from '../values/input.ts'
import { parseInt64 } from '../values/int64.ts'

/** The fields of an address that deals can share. */
export const addressFields = ['streetAddress', 'city', 'zipCode'] satisfies DealField[]

export const ChooseIssue = z.object({ issue: z.enum(['sameAddress', ...dataIssues]) })

/** The deals with an issue after this cursor, or the first. */
export const ListIssue = ChooseIssue.extend({
  cursor: z
    .string()
    .max(20)
    .refine((text) => parseInt64(text) !== null, { error: 'must be a cursor' })
    .nullish(),
})
