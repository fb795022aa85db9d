/** Returns whether a file that begins with these bytes may be XLSX, which is a ZIP archive. */
export const isArchive = (start: Buffer) => start.subarray(0, 4).toString('latin1') === 'PK\x03\x04'

/** Returns the index of the column of a cell such as `AB12`, from 0, or null when it is no reference. */
export function columnIndex(reference: string): number | null {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1]
  if (letters === undefined) return null
  return [...letters].reduce((index, letter) => 26 * index + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns whether a number format shows dates or times: a built-in one, or one with letters of a date. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58)
  // Without quoted texts, colours and conditions in brackets, and escaped characters.
  const unquoted = outside(outside(code, '"'), /[[\]]/).replaceAll(/\\.|_./g, '')
  return /[dmyhs]/i.test(unquoted.replaceAll(/general/gi, ''))
}

/** Returns a text without every second of its parts. */
const outside = (text: string, separator: string | RegExp) =>
  text
    .split(separator)
    .filter((_part, index) => index % 2 === 0)
    .join('')

// Days from December 30, 1899 and from January 1, 1904 until 1970.
const daysUntil1970 = { 1900: 25_569, 1904: 24_107 }

/** Returns the date of a serial number, or the date and time in UTC; null when it is none. */
export function dateOf(serial: string, is1904: boolean): string | null {
  const days = Number(serial)
  if (serial === '' || !Number.isFinite(days) || days < 0) return null
  // Excel counts a February 29, 1900.
  const shift = !is1904 && days < 60 ? 1 : 0
  const seconds = Math.round((days + shift - daysUntil1970[is1904 ? 1904 : 1900]) * 86_400)
  if (seconds * 1000 > 253_402_300_799_000) return null
  const text = new Date(seconds * 1000).toISOString()
  return seconds % 86_400 === 0 ? text.slice(0, 10) : text
}

/** Returns a number as people write it: with 15 digits, which is what spreadsheets show, and without an exponent. */
export function writtenNumber(value: string): string {
  if (value === '' || /^-?\d+$/.test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : value
}

/** Returns a text without the escapes of characters that XML does not have, such as `_x000D_`. */
export const unescapeText = (text: string) =>
  text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
