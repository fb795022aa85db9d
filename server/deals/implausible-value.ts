import { isState } from '../values/states.ts'
import { dealFields } from './deal.ts'
import { amountMax, firstYear, sizeMaxKw, yearsAhead } from './policy.ts'

type TimeField = {
  [Name in keyof typeof dealFields]: (typeof dealFields)[Name]['kind'] extends 'time' ? Name : never
}[keyof typeof dealFields]

const timeNames = Object.entries(dealFields).flatMap(([name, { kind }]) =>
  kind === 'time' ? [name as TimeField] : [],
)

/** Returns whether an amount is negative or very large. */
export const isImplausibleAmount = (amount: number) => amount < 0 || amount > amountMax

/** Returns whether a text, such as a loan amount, is a negative or very large number of dollars. */
export const isImplausibleAmountText = (text: string) =>
  isImplausibleAmount(Number(text.slice(0, 40).replaceAll(/[$,\s]/g, '')))

/** Returns whether a system size starts with an implausible number of kilowatts, or with none. */
export function isImplausibleSize(text: string): boolean {
  const [number] = /^\s*\d{1,9}(?:\.\d{1,6})?/.exec(text.slice(0, 40)) ?? []
  return number !== undefined && (Number(number) === 0 || Number(number) > sizeMaxKw)
}

// Five digits, optionally four more; in Canada letters and digits in turn, without those that look alike.
const zipCode =
  /^(?:\d{5}(?:[- ]?\d{4})?|[abceghj-nprstvxy]\d[abceghj-nprstv-z][- ]?\d[abceghj-nprstv-z]\d)$/i

/** Returns whether a text is neither a ZIP code nor a Canadian postal code. */
export const isImplausibleZip = (text: string) =>
  text.trim() !== '' && !zipCode.test(text.trim().slice(0, 40))

/** Returns whether a text is no state of the United States or province of Canada, by code or name. */
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

type Dates = { [Name in TimeField]?: string | null }

const first = String(firstYear)

/** Returns the last plausible date at this time. */
function lastDate(now: Date): string {
  const last = new Date(now)
  last.setUTCFullYear(last.getUTCFullYear() + yearsAhead)
  return last.toISOString()
}

const isImplausibleDate = (time: string | null | undefined, last: string) =>
  time !== null && time !== undefined && (time < first || time > last)

/** Returns whether a date of a deal is before 2000 or more than ten years ahead. */
export function hasImplausibleDate(deal: Dates, now: Date): boolean {
  const last = lastDate(now)
  for (const field of timeNames) if (isImplausibleDate(deal[field], last)) return true
  return false
}

/** Returns the dates of a deal that are before 2000 or more than ten years ahead. */
export function implausibleDatesOf(deal: Dates, now: Date): TimeField[] {
  const last = lastDate(now)
  return timeNames.filter((field) => isImplausibleDate(deal[field], last))
}
