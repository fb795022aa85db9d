import type { DealField } from './deal.ts'

/** Text fields that can be filtered by value, in addition to stage, pipeline and state. */
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
