import { isState } from '../values/states.ts'
import { type DealField, type TimeField, fieldsOf } from './deal.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from './policy.ts'

/** Returns true if an amount is negative or implausibly large. */
export const isImplausibleAmount = (amount: number) => amount < 0 || amount > amountMax

/**
 * Returns true if a string, such as a loan amount, contains a negative or implausibly large number of dollars.
 */
export const isImplausibleAmountText = (text: string) =>
  isImplausibleAmount(Number(text.slice(0, 40).replaceAll(/[$,\s]/g, '')))

/**
 * Returns the number of kilowatts at the start of a system size, or null if the text does not start with a
 * number.
 */
export function sizeOf(text: string | null | undefined): number | null {
  const [number] = /^\s*\d{1,9}(?:\.\d{1,6})?/.exec(text ?? '') ?? []
  return number === undefined ? null : Number(number)
}

/** Returns true if a system size starts with zero or with an implausibly large number of kilowatts. */
export function isImplausibleSize(text: string): boolean {
  const size = sizeOf(text.slice(0, 40))
  return size === 0 || (size !== null && size > sizeMaxKw)
}

// A ZIP code has five digits, optionally followed by four more. A Canadian postal code alternates letters and
// digits, and excludes letters that are easily confused.
const zipCode =
  /^(?:\d{5}(?:[- ]?\d{4})?|[abceghj-nprstvxy]\d[abceghj-nprstv-z][- ]?\d[abceghj-nprstv-z]\d)$/i

/**
 * Returns true if the text is neither a ZIP code nor a Canadian postal code. Returns false for blank text.
 */
export const isImplausibleZip = (text: string) =>
  text.trim() !== '' && !zipCode.test(text.trim().slice(0, 40))

/** Returns true if the text is neither a US state nor a Canadian province, by code or by name. */
export const isImplausibleState = (text: string) => text.trim() !== '' && !isState(text)

// The digits of one phone number, or of two.
const isUsual = (digits: string) => digits.length === 10 || digits.length === 20

/**
 * Returns true if a phone number has too few or too many digits. Numbers with a foreign country code have 8
 * to 15 digits (ITU-T E.164). Everything after a letter or `#` is taken as an extension or remark.
 */
export function isImplausiblePhone(text: string): boolean {
  const start = text.trim().slice(0, 100)
  if (start === '') return false
  const [number = ''] = /\+?\d[^\p{L}#;,|]*/u.exec(start) ?? []
  const digits = number.replaceAll(/\D/g, '')
  if (digits[0] === '1') return digits.length !== 11 && digits.length !== 22
  return number.startsWith('+') ? digits.length < 8 || digits.length > 15 : !isUsual(digits)
}

const times = fieldsOf('time')

/** Returns which dates of a deal are before 2000 or more than ten years in the future. */
export function implausibleDatesOf(deal: { [Name in TimeField]?: string | null }, now: Date): TimeField[] {
  const last = new Date(now)
  last.setUTCFullYear(last.getUTCFullYear() + yearsAhead)
  const [from, to] = [String(firstYear), last.toISOString()]
  return times.filter((field) => deal[field] != null && (deal[field] < from || deal[field] > to))
}

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
