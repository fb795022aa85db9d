import { cleaned, isPlaceholder } from './clean.ts'
import { parseInt64 } from './int64.ts'
import { type Unreadable, unreadable } from './unreadable.ts'

/** Decimal sign of numbers. */
export type DecimalSign = '.' | ','

const plain = /^-?\d+(?:\.\d+)?$/
const plainInteger = /^-?\d+$/
// Longer numbers may exceed the range of doubles.
const plainMaxLength = 300

/** Returns a function that reads the numbers and amounts of a column with this decimal sign. */
export function numberReader(decimal: DecimalSign): (text: string) => number | null | Unreadable {
  const fast = decimal === '.' ? plain : plainInteger
  return (text) => {
    if (fast.test(text) && text.length <= plainMaxLength) return Number(text)
    const written = cleaned(text)
    if (written === '' || isPlaceholder(written)) return null
    const number = parseNumber(written, decimal)
    return number ?? unreadable(text, 'is not a number; use one such as 30800.50')
  }
}

/** A written number: the digits with separators, and the surrounding text. */
interface WrittenNumber {
  prefix: string
  digits: string
  exponent: string
  suffix: string
}

const affixMaxLength = 16

/** Returns the parts of a string that contains one number, or null. */
function partsOf(text: string): WrittenNumber | null {
  const start = text.search(/[.,]?\d/)
  if (start < 0 || start > affixMaxLength) return null
  const [digits] = /^[\d.,'’\s]*/.exec(text.slice(start))!
  const rest = text.slice(start + digits.length)
  const [whole = '', exponent = '0'] = /^[eE]([+-]?\d{1,3})/.exec(rest) ?? []
  const suffix = rest.slice(whole.length)
  if (suffix.length > affixMaxLength || /\d/.test(suffix)) return null
  return { prefix: text.slice(0, start), digits: digits.trimEnd(), exponent, suffix }
}

/** In accounting formats, a zero is a dash next to the currency. */
const zero = /^(?:\p{Sc}\s*[-–—]|[-–—]\s*\p{Sc})$/u

// Matches `25.200,-`.
const noCents = /[.,][-–—]{1,2}$/

/** Returns the number in a string, or null. */
export function parseNumber(text: string, decimal: DecimalSign): number | null {
  if (zero.test(text)) return 0
  const parts = partsOf(text.replace(noCents, (cents) => `${cents[0]!}00`))
  const isMinus = parts && isNegative(parts.prefix, parts.suffix)
  if (parts === null || isMinus === null) return null
  const digits = pointed(parts.digits, parts.exponent === '0' ? decimal : null)
  if (digits === null) return null
  const value = Number(`${digits}e${parts.exponent}`)
  if (!Number.isFinite(value)) return null
  return isMinus ? -value : value
}

const currency =
  /(?:US|CA|MX|AU|NZ|C|A|R)?\p{Sc}(?:US)?|USD|CAD|MXN|EUR|GBP|AUD|NZD|CHF|JPY|CNY|INR|BRL|PHP|dollars?/giu
const minus = /[-−–﹣－]/gu
const perWatt = /(?:\/|per)(?:w|watt|wp)$/i

/**
 * Returns whether the text around the digits makes the number negative, or null if that text is not part of a
 * number.
 */
function isNegative(prefix: string, suffix: string): boolean | null {
  const bare = (text: string) => text.replaceAll(/\s/g, '').replaceAll(currency, '').replaceAll(minus, '-')
  const around = `${bare(prefix)}0${bare(suffix.replaceAll(/\s/g, '').replace(perWatt, ''))}`
  if (around === '0' || around === '+0') return false
  return around === '-0' || around === '0-' || around === '(0)' ? true : null
}

/** Returns digits with a decimal point. If `decimal` is null, a comma or a point may be the decimal sign. */
function pointed(core: string, decimal: DecimalSign | null): string | null {
  const at = decimalIndex(core, decimal)
  if (at === null) return null
  const whole = ungrouped(at < 0 ? core : core.slice(0, at))
  if (whole === null || at < 0) return whole
  const fraction = core.slice(at + 1)
  return /^\d*$/.test(fraction) ? `${whole === '' ? '0' : whole}.${fraction}` : null
}

/** Returns the index of the decimal sign, -1 if there is none, or null if the signs are inconsistent. */
function decimalIndex(core: string, decimal: DecimalSign | null): number | null {
  const [dot, comma] = [core.lastIndexOf('.'), core.lastIndexOf(',')]
  const last = Math.max(dot, comma)
  const sign = core[last]
  if (last < 0 || core.indexOf(sign!) !== last) return -1
  if (decimal === null || (dot >= 0 && comma >= 0)) return last
  if (isOpen(core)) return sign === decimal ? last : -1
  // Where the decimal sign is a point, `1,2345` is more likely a typo than a decimal comma.
  const isSlip = sign === ',' && decimal === '.' && last <= 3 && core.length - last > 4 && core[0] !== '0'
  return isSlip ? null : last
}

const open = /^[1-9]\d{0,2}[.,]\d{3}$/

/** Returns true if the only sign in these digits could separate either thousands or decimals: `25.200`. */
const isOpen = (core: string) => open.test(core)

/** Returns digits without thousands separators, or null if the separators are misplaced. */
function ungrouped(whole: string): string | null {
  if (/^\d*$/.test(whole)) return whole
  const [first, ...groups] = whole.split(/[.,\s'’]/)
  const isGrouped = groups.every((group) => group.length === 3) && /^[1-9]\d{0,2}$/.test(first!)
  return isGrouped && new Set(whole.replaceAll(/\d/g, '')).size === 1 ? first + groups.join('') : null
}

/** What a number reveals about the decimal sign of its column. */
export type DecimalEvidence = DecimalSign | 'open' | null

/**
 * Returns the decimal sign of a number, `open` if the sign could separate thousands, or null if there is
 * none.
 */
export function decimalEvidence(text: string): DecimalEvidence {
  const { digits } = partsOf(text) ?? {}
  if (digits === undefined) return null
  if (isOpen(digits)) return 'open'
  const [point, comma] = [pointed(digits, '.'), pointed(digits, ',')]
  if (point === null && comma === null) return null
  const last = /([.,])[\d\s]*$/.exec(digits)?.[1] as DecimalSign | undefined
  if (last === undefined) return null
  // A sign that occurs more than once separates thousands.
  if (digits.indexOf(last) !== digits.lastIndexOf(last)) return last === '.' ? ',' : '.'
  return last
}

const exponentForm = /^-?[\d.,]+e[+-]?\d+$/i
const wholeText = /^#?(-?)(\d[\d.,'’\s]*)$/

/** Returns the text of a whole number as plain digits, `exponent` if the number was rounded, or null. */
function wholeDigits(text: string, decimal: DecimalSign): string | 'exponent' | null {
  const [, sign, core] = wholeText.exec(text) ?? []
  if (core === undefined) return exponentForm.test(text) ? 'exponent' : null
  const digits = pointed(core, decimal)
  const [, whole] = /^(\d+)(?:\.0*)?$/.exec(digits ?? '') ?? []
  if (whole === undefined) return null
  const canonical = whole.replace(/^0+/, '')
  return canonical === '' ? '0' : `${sign}${canonical}`
}

/** Returns the explanation that a string is not an id. */
export const notAnId = (text: string) =>
  unreadable(text, 'is not an ID; use a whole number such as 20411000193')

// Prefix that Zoho writes before the number of a record.
const ofZoho = /^zcrm_(?=\d)/

/** Returns the digits of an id, `exponent` if it was rounded, or null. */
export const idDigits = (text: string, decimal: DecimalSign) => wholeDigits(text.replace(ofZoho, ''), decimal)

/** Returns a function that reads ids: 64-bit integers with all digits preserved. */
export function idReader(decimal: DecimalSign): (text: string) => bigint | null | Unreadable {
  return (text) => {
    const canonical = parseInt64(text)
    if (canonical !== null) return canonical
    const written = cleaned(text)
    if (written === '' || isPlaceholder(written)) return null
    const digits = idDigits(written, decimal)
    if (digits === 'exponent')
      return unreadable(
        text,
        'was rounded by a spreadsheet; format its column as a number without decimals, and save the file again',
      )
    const id = digits === null ? null : parseInt64(digits)
    if (id !== null) return id
    return digits === null
      ? notAnId(text)
      : unreadable(text, 'is too large; use a whole number up to 9223372036854775807')
  }
}
