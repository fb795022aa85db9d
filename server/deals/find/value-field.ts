import type { DealField } from '../deal.ts'

/** The texts by whose values deals are told apart and filtered, besides stage, pipeline and state. */
export const valueFields = [
  'city',
  'utilityName',
  'closerName',
  'lender',
  'moduleType',
  'inverterType',
  'battery',
] as const satisfies readonly DealField[]
export type ValueField = (typeof valueFields)[number]
