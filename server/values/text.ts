import { trimmed, cleaned, isPlaceholder } from './clean.ts'
import { type DecimalSign, parseNumber } from './number.ts'
import { Unreadable, unreadable } from './unreadable.ts'

type ReadText = (text: string) => string | null | Unreadable

const errorOfSheet = /^#(?:REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|ERROR!|SPILL!|CALC!|FIELD!)$/

/** Reads text without surrounding spaces and without NUL, with which some programs pad fields. */
export const readText: ReadText = (text) => {
  const inner = inFormula(trimmed(unescaped(text.includes('\0') ? text.replaceAll('\0', '') : text)))
  if (inner === '' || isPlaceholder(inner)) return null
  if (inner[0] === '#' && errorOfSheet.test(inner)) return new Unreadable(`is the error ${inner}`)
  return inner.isWellFormed() ? inner : new Unreadable('has a character that cannot be stored; remove it')
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#039': "'",
  nbsp: '\u00a0',
}

/** Unescapes text that web programs export as HTML: `Smith &amp; Sons`, `CAD<br>`. */
const unescaped = (text: string) =>
  text.includes('&') || text.includes('<')
    ? text
        .replaceAll(/<br ?\/?>/gi, '\n')
        .replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#0?39);/g, (_, name: string) => entities[name]!)
    : text

const inFormula = (text: string) => (text[0] === '=' ? cleaned(text) : text)

const floating = /^(-?\d+)[.,]0$/
const withComma = /^-?\d{1,3}(?:\.?\d{3})*,\d+$/
const zeroInAccounts = /^\p{Sc}\s*[-–—]$/u

const exponentForm = /^[1-9](?:\.\d+)?e\+?\d{1,2}$/i

/** Returns the digits of a number in exponent form if all digits are present: `6.025550147E9`. */
function fullDigits(text: string, number: number): string | Unreadable {
  const [, decimals = '', exponent = '0'] = /^\d(?:\.(\d+))?e\+?(\d+)$/i.exec(text) ?? []
  return Number(exponent) <= decimals.length && Number.isSafeInteger(number)
    ? String(number)
    : unreadable(text, 'was rounded by a spreadsheet; format its column as text, and enter it again')
}

/**
 * Returns a function that reads numbers stored as text. Removes the `.0` that data frames add to whole
 * numbers.
 */
export function numericTextReader(decimal: DecimalSign): ReadText {
  return (text) => {
    const read = readText(text)
    if (typeof read !== 'string') return read
    const [, whole] = floating.exec(read) ?? []
    if (whole !== undefined) return whole
    const digits = exponentForm.test(read) ? parseNumber(read, '.') : null
    if (digits !== null) return fullDigits(read, digits)
    // Spreadsheets mark a number as text by a leading apostrophe.
    if (/^'\+?\d/.test(read)) return read.slice(1)
    if (zeroInAccounts.test(read)) return '0'
    return decimal === ',' && withComma.test(read) ? read.replaceAll('.', '').replace(',', '.') : read
  }
}

const address = /https?:\/\/[^\s"'<>()\]]+/i

/** Reads a link: a plain URL, or a URL in a formula, Markdown, or HTML. */
export const readLink: ReadText = (text) => {
  const [ofFormula] = trimmed(text)[0] === '=' ? (address.exec(text) ?? []) : []
  if (ofFormula !== undefined) return ofFormula
  const read = readText(text)
  if (typeof read !== 'string' || /^https?:\/\/\S+$/i.test(read)) return read
  const [found] = address.exec(read) ?? []
  if (found !== undefined) return found
  return /^[^\s./]+\.\S+$/.test(read)
    ? read
    : unreadable(text, 'is not a link; use an address such as https://design.example/proposals/204417')
}

/** Reads the id of a file. If there are several ids, returns the first. */
export const readFileId: ReadText = (text) => {
  const read = readText(text)
  if (typeof read !== 'string') return read
  const [first = ''] = read.split(/[;,] ?/)
  const id = floating.exec(first)?.[1] ?? first
  return /^[\w-]{1,64}$/.test(id)
    ? id
    : unreadable(text, 'is not the id of a file; use one such as hic_9f2Kd81LmQ')
}

/** A unit of system sizes. */
export type SizeUnit = 'W' | 'kW' | 'MW'

/** Power of ten for converting a unit to kilowatts, by the first letter of the unit. */
const exponents: Record<string, number> = { w: -3, k: 0, m: 3 }
const exponentOf = (unit: string) => exponents[unit[0]!.toLowerCase()]!

const written = /^(\d[\d.,' ]*)(w|watts?|mw|megawatts?)p?(?:[ -]?(?:[ad]c|stc|cec|ptc))?$/i

/**
 * Returns a function that reads system sizes as kilowatts in text form. Converts a size in watts or
 * megawatts, based on its own unit or the column's unit. Sizes in kilowatts, or in words, stay as written.
 */
export function sizeReader(decimal: DecimalSign, unit: SizeUnit) {
  const readText = numericTextReader(decimal)
  return (text: string) => {
    const read = readText(text)
    if (typeof read !== 'string') return read
    const [, digits = read, own = unit] = written.exec(read) ?? []
    const exponent = exponentOf(own)
    const size = exponent === 0 ? null : parseNumber(digits.trim(), decimal)
    // Shifts the exponent, because a division would not be exact.
    return size === null ? read : String(Number(`${size}e${exponent}`))
  }
}

const unitAtEnd = /[ ([_-]((?:k|m|kilo|mega)?w)(?:atts?)?p?[ _-]?(?:[ad]c|stc|cec|ptc)?[)\]]?$/i
const units: Record<string, SizeUnit> = { w: 'W', k: 'kW', m: 'MW' }

/**
 * Splits the unit from the end of a title: `System Size (W)`, `system_size_w`, `Size Watts DC`. Without a
 * unit, assumes kW.
 */
export function splitUnit(title: string): { title: string; unit: SizeUnit } {
  const [end = '', unit = 'kW'] = unitAtEnd.exec(title) ?? []
  return { title: title.slice(0, title.length - end.length).trimEnd(), unit: units[unit[0]!.toLowerCase()]! }
}
