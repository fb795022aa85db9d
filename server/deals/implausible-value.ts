import { isState } from '../values/states.ts'
import { type TimeField, fieldsOf } from './deal.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from './policy.ts'

/** Returns whether an amount is negative or very large. */
export const isImplausibleAmount = (amount: number) => amount < 0 || amount > amountMax

/** Returns whether text such as a loan amount is a negative or very large number of dollars. */
export const isImplausibleAmountText = (text: string) =>
  isImplausibleAmount(Number(text.slice(0, 40).replaceAll(/[$,\s]/g, '')))

/** Returns the kilowatts at the start of a system size, or null if it does not start with a number. */
export function sizeOf(text: string | null | undefined): number | null {
  const [number] = /^\s*\d{1,9}(?:\.\d{1,6})?/.exec(text ?? '') ?? []
  return number === undefined ? null : Number(number)
}

/** Returns whether a system size starts with zero or an implausibly large number of kilowatts. */
export function isImplausibleSize(text: string): boolean {
  const size = sizeOf(text.slice(0, 40))
  return size === 0 || (size !== null && size > sizeMaxKw)
}

// Five digits, optionally four more; in Canada letters and digits in turn, without those that look alike.
const zipCode =
  /^(?:\d{5}(?:[- ]?\d{4})?|[abceghj-nprstvxy]\d[abceghj-nprstv-z][- ]?\d[abceghj-nprstv-z]\d)$/i

/** Returns whether text is neither a ZIP code nor a Canadian postal code; false for blank text. */
export const isImplausibleZip = (text: string) =>
  text.trim() !== '' && !zipCode.test(text.trim().slice(0, 40))

/** Returns whether text is neither a state of the United States nor a province of Canada, by code or name. */
export const isImplausibleState = (text: string) => text.trim() !== '' && !isState(text)

// The digits of one phone number, or of two.
const isUsual = (digits: string) => digits.length === 10 || digits.length === 20

/**
 * Returns whether a phone number has too few or too many digits. Numbers with another country's code have 8
 * to 15 (ITU-T E.164). Anything after a letter or `#` is an extension or a remark.
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

/** Returns the dates of a deal that are before 2000 or more than ten years ahead. */
export function implausibleDatesOf(deal: { [Name in TimeField]?: string | null }, now: Date): TimeField[] {
  const last = new Date(now)
  last.setUTCFullYear(last.getUTCFullYear() + yearsAhead)
  const [from, to] = [String(firstYear), last.toISOString()]
  return times.filter((field) => deal[field] != null && (deal[field] < from || deal[field] > to))
}
