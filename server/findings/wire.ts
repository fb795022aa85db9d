import { z } from 'zod'
import type { DealField } from '../deals/deal.ts'
import { parseInt64 } from '../protocol/int64.ts'
import type { FindingName } from './finding.ts'

/** The fields that each finding is about. */
export const findingFields: Record<FindingName, DealField[]> = {
  installWithoutDate: ['stage'],
  permitBeforeSubmission: ['permitSubmitted', 'permitReceived'],
  sizeIsNoNumber: ['systemSize'],
  stageBehindDates: ['stage'],
  outsideState: ['coordinates', 'state'],
  sameAddress: ['streetAddress', 'city', 'zipCode'],
}

export const ChooseFinding = z.object({
  finding: z.enum(Object.keys(findingFields) as [FindingName, ...FindingName[]]),
})

/** The deals of a finding behind this cursor, or the first. */
export const ListFinding = ChooseFinding.extend({
  cursor: z
    .string()
    .max(20)
    .refine((text) => parseInt64(text) !== null, { error: 'must be a cursor' })
    .nullish(),
})
