import { z } from 'zod'
import type { DealField } from '../deals/deal.ts'
import { dealFindings } from '../deals/finding-kind.ts'
import { parseInt64 } from '../protocol/int64.ts'

/** The fields of the address that deals have in common. */
export const addressFields = ['streetAddress', 'city', 'zipCode'] satisfies DealField[]

export const ChooseFinding = z.object({
  finding: z.enum(['sameAddress', ...dealFindings]),
})

/** The deals of a finding behind this cursor, or the first. */
export const ListFinding = ChooseFinding.extend({
  cursor: z
    .string()
    .max(20)
    .refine((text) => parseInt64(text) !== null, { error: 'must be a cursor' })
    .nullish(),
})
