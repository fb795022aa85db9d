import type { DealField } from './deal.ts'

/** Data issues that concern a single deal, in display order, with their titles and fields. */
const issues = {
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
  // Has no fixed fields: applies to all dates that are checked for plausibility.
  dateOutOfRange: { title: 'Date in the distant past or future', fields: [] },
  stageBehindDates: { title: 'Stage is behind the dates', fields: ['stage'] },
  phoneLength: { title: 'Phone number too short or too long', fields: ['primaryPhone'] },
} satisfies Record<string, { title: string; fields: DealField[] }>

export type DataIssue = keyof typeof issues

export const dataIssues = Object.keys(issues) as DataIssue[]

export const titleOfIssue = (issue: DataIssue) => issues[issue].title

/** Returns the fields that the issue concerns. */
export const fieldsOfIssue = (issue: DataIssue): DealField[] => issues[issue].fields
