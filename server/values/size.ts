import { type DecimalSign, parseNumber } from './number.ts'
import { numericTextReader } from './text.ts'

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
