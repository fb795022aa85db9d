import type { DealField } from './deal.ts'

/** Data issues of a single deal, in display order: title and fields. */
const findings = {
  installWithoutDate: { title: 'Install completed without a date', fields: ['stage'] },
  permitBeforeSubmission: {
    title: 'Permit received before it was submitted',
    fields: ['permitSubmitted', 'permitReceived'],
  },
  sizeIsNoNumber: { title: 'System size is not a number', fields: ['systemSize'] },
  outsideState: { title: 'Coordinates outside the state', fields: ['coordinates', 'state'] },
  amountOutOfRange: { title: 'Amount negative or very large', fields: ['amount', 'loanAmount'] },
  sizeOutOfRange: { title: 'System size zero or very large', fields: ['systemSize'] },
  malformedZip: { title: 'Malformed ZIP code', fields: ['zipCode'] },
  unknownState: { title: 'Unknown state', fields: ['state'] },
  // The dates that are odd.
  dateOutOfRange: { title: 'Date in the distant past or future', fields: [] },
  stageBehindDates: { title: 'Stage is behind the dates', fields: ['stage'] },
  phoneLength: { title: 'Phone number too short or too long', fields: ['primaryPhone'] },
} satisfies Record<string, { title: string; fields: DealField[] }>

export type DealFinding = keyof typeof findings

export const dealFindings = Object.keys(findings) as DealFinding[]

/** Returns the title of a finding. */
export const titleOfFinding = (finding: DealFinding) => findings[finding].title

/** Returns the fields that a finding is about. */
export const fieldsOfFinding = (finding: DealFinding): DealField[] => findings[finding].fields
