import { type DecimalSign, parseNumber } from './number.ts'
import { numericTextReader } from './text.ts'

/** A unit of system sizes. */
export type SizeUnit = 'W' | 'kW' | 'MW'

/** The power of ten that turns a unit into kilowatts, by its first letter. */
const exponents: Record<string, number> = { w: -3, k: 0, m: 3 }
const exponentOf = (unit: string) => exponents[unit[0]!.toLowerCase()]!

const written = /^(\d[\d.,' ]*)(w|watts?|mw|megawatts?)p?(?:[ -]?(?:[ad]c|stc|cec|ptc))?$/i

/**
 * Returns the reader of system sizes, which are kilowatts as text. A size in watts or megawatts is converted, by its own
 * unit or that of its column; one in kilowatts, or in words, stays as written.
 */
export function sizeReader(decimal: DecimalSign, unit: SizeUnit) {
  const readText = numericTextReader(decimal)
  return (text: string) => {
    const read = readText(text)
    if (typeof read !== 'string') return read
    const [, digits = read, own = unit] = written.exec(read) ?? []
    const exponent = exponentOf(own)
    const size = exponent === 0 ? null : parseNumber(digits.trim(), decimal)
    // Shifts the exponent instead of dividing, which would not be exact.
    return size === null ? read : String(Number(`${size}e${exponent}`))
  }
}

const unitAtEnd = /[ ([_-]((?:k|m|kilo|mega)?w)(?:atts?)?p?[ _-]?(?:[ad]c|stc|cec|ptc)?[)\]]?$/i
const units: Record<string, SizeUnit> = { w: 'W', k: 'kW', m: 'MW' }

/** Splits the unit from the end of a title: `System Size (W)`, `system_size_w`, `Size Watts DC`; without one, kW. */
export function splitUnit(title: string): { title: string; unit: SizeUnit } {
  const [end = '', unit = 'kW'] = unitAtEnd.exec(title) ?? []
  return { title: title.slice(0, title.length - end.length).trimEnd(), unit: units[unit[0]!.toLowerCase()]! }
}
