import { isUtf8 } from 'node:buffer'
import { type DecimalSign, decimalOf } from '../deals/import/cell.ts'
import { type Encoding, encodings } from './encoding.ts'

/** Characters that separate the cells of a row, with their names. */
const delimiters = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' } as const

export type Delimiter = keyof typeof delimiters

/** The format of a text file of rows. */
export interface TextFormat {
  encoding: Encoding
  delimiter: Delimiter
  /** Defaults to a point. */
  decimal?: DecimalSign
}

/**
 * Returns the encoding of a text file from its first bytes. Returns Windows-1252 if they are not UTF-8 and
 * contain no valid multi-byte character; otherwise it is UTF-8 with a few wrong bytes.
 */
export function encodingOf(start: Buffer): Encoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const marked = utf16WithoutMark(start)
  if (marked !== null) return marked
  if (isUtf8(start)) return 'utf-8'
  // The last character may be cut off.
  const decoded = new TextDecoder().decode(start.subarray(0, -4))
  return /[^\0-\x7f\ufffd]/.test(decoded) || !decoded.includes('\ufffd') ? 'utf-8' : 'windows-1252'
}

/** In UTF-16, every other byte of ASCII is 0. */
function utf16WithoutMark(start: Buffer): Encoding | null {
  const zeros = [0, 0]
  for (const [index, byte] of start.subarray(0, 1000).entries()) if (byte === 0) zeros[index % 2]!++
  const some = Math.min(start.length, 1000) * 0.4
  if (zeros[1]! > some && zeros[0] === 0) return 'utf-16le'
  return zeros[0]! > some && zeros[1] === 0 ? 'utf-16be' : null
}

const delimiterLines = 20

/**
 * Returns the delimiter with the same count outside quotes in most of the first rows; by default a comma. A
 * title above the table has little weight.
 */
export function delimiterOf(text: string): Delimiter {
  const rows = countDelimiters(text)
  const scoreOf = (delimiter: Delimiter) => {
    const rowsByCount = new Map<number, number>()
    for (const { [delimiter]: count } of rows)
      if (count > 0) rowsByCount.set(count, (rowsByCount.get(count) ?? 0) + 1)
    return Math.max(0, ...[...rowsByCount].map(([count, number]) => count * number ** 2))
  }
  const scores = (Object.keys(delimiters) as Delimiter[]).map((delimiter) => ({
    delimiter,
    score: scoreOf(delimiter),
    first: rows[0]?.[delimiter] ?? 0,
  }))
  const [best] = scores.toSorted((a, b) => b.score - a.score || b.first - a.first)
  return best!.score === 0 ? ',' : best!.delimiter
}

/** Counts each delimiter outside quotes in the first non-empty rows. */
function countDelimiters(text: string): Record<Delimiter, number>[] {
  const rows: Record<Delimiter, number>[] = []
  let isQuoted = false
  let row: Record<Delimiter, number> | null = null
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (!isQuoted && (character === '\n' || character === '\r')) {
      row = null
      if (rows.length === delimiterLines) break
      continue
    }
    if (row === null) {
      if (character.trim() === '' && character !== '\t') continue
      rows.push((row = { ',': 0, ';': 0, '\t': 0, '|': 0 }))
    }
    if (!isQuoted && Object.hasOwn(delimiters, character)) row[character as Delimiter]++
  }
  return rows
}

/** Returns the decimal sign of a delimited text. Excel uses semicolons where the decimal sign is a comma. */
export function decimalSignOf(text: string, delimiter: Delimiter): DecimalSign {
  if (delimiter === ',') return '.'
  const cells = text.split(/[\r\n]+/).flatMap((line) => line.split(delimiter))
  return decimalOf(cells.map((cell) => cell.replaceAll('"', '').trim())) ?? '.'
}

/** Returns the format in words: `CSV, separated by semicolons, in Windows-1252`. */
export const formatName = ({ encoding, delimiter, decimal }: TextFormat) =>
  `CSV, separated by ${delimiters[delimiter]}, in ${encodings[encoding]}${decimal === ',' ? ', with decimal commas' : ''}`
