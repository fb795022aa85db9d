import { isPlaceholder } from '../values/placeholder.ts'
import { readerOf } from '../values/value.ts'

/** A row of texts without spaces around them, and its number. */
export interface TextRow {
  row: number
  texts: string[]
  /** Whether a sheet marks it as a row of totals. */
  isTotal?: boolean
}

/** Kinds of rows that are not deals, and rows of deals that are struck through. */
export type SkippedKind = 'footer' | 'remark' | 'total' | 'titles' | 'rule' | 'group' | 'subitem' | 'struck'

/** The properties of a table that tell deals from other rows. */
export interface TableShape {
  /** The titles by the place of their columns. */
  titles: string[]
  /** The place of the column with the ids, or -1. */
  idIndex: number
}

const readId = readerOf('id')
const readNumber = readerOf('number')
const readTime = readerOf('time')

/** Returns the id of a row; null if it cannot be read. */
const idIn = ({ texts }: TextRow, { idIndex }: TableShape): bigint | null => {
  const id = readId(texts[idIndex] ?? '')
  return typeof id === 'bigint' ? id : null
}

const filledOf = ({ texts }: TextRow) => texts.filter((text) => text !== '')

const rule = /^[-=_*~#.+|:—–─═\s]+$/
const total =
  /^(?:sub|grand |report |overall )?[- ]?totals?\b|^(?:sum|count|average|avg|mean|median|minimum|maximum|record count)s?(?:$|[\s:(=])/i
// `Permit Total`, in a pivot table
const totalOfGroup = /^.{1,60} totals?$/i

/** Returns whether a text names a total. */
export const isTotalText = (text: string) => total.test(text) || totalOfGroup.test(text)
/** Footers that programs write below a table. */
const remarks = [
  /\b(?:confidential|copyright|all rights reserved|do not distribute|internal use)\b/i,
  /\bend of (?:report|file|list)\b/i,
  /^(?:accrual|cash) basis\b/i,
  /\b(?:page \d{1,9} of|showing) \d/i,
  /\b(?:generated|made|created|prepared|printed|exported|run|produced) (?:by|on|at|from)\b/i,
  /\b(?:report|filters?|filtered by|data as of|as of|source|date range|run date) ?:/i,
  /\b\d{1,9} (?:records?|rows?|deals?|items?|entries|results|opportunities|projects|customers)\b/i,
  /©|\(c\) ?\d{4}/i,
]
// Units, in a row between the titles and the first deal.
const unit =
  /^(?:kwp?(?: ?[ad]c)?|kwh|w|watts?|\$|€|usd|\$\/w|%|#|days?|date|datetime|timestamp|text|string|varchar|number|numeric|integer|int|decimal|float|double|currency|boolean|bool|yes\/no|y\/n|required|optional|[mdy]{1,4}[-/.][mdy]{1,4}[-/.][mdy]{1,4})$/i

const brackets = /^[([]|[)\]]$/g

const range = /^(?:\d[\d/.-]{5,9} to \d[\d/.-]{5,9}|[\d.]{1,9} ?%)$/

/** Returns whether a text is a number, a percentage, a date or a range of dates. */
export const isFigure = (text: string) =>
  range.test(text) || typeof readNumber(text) === 'number' || typeof readTime(text) === 'string'

const hasRemark = (text: string) => remarks.some((remark) => remark.test(text))

/**
 * Returns why a row is not a deal: it repeats the titles, separates or sums up other rows, has units, or is a
 * remark in one cell. Returns null for a possible deal, such as any row with an id.
 */
export function skippedKind(row: TextRow, shape: TableShape): SkippedKind | null {
  const filled = filledOf(row)
  if (filled.length === 0 || idIn(row, shape) !== null) return null
  if (filled.every((text) => rule.test(text))) return 'rule'
  if (repeatsTitles(row, shape)) return 'titles'
  if (row.isTotal === true || filled.slice(0, 2).some(isTotalText)) return 'total'
  if ((row.texts[shape.idIndex] ?? '') === '' && isSum(row, shape)) return 'total'
  if (filled.length > 1 && filled.every((text) => unit.test(text.replaceAll(brackets, '')))) return 'remark'
  return filled.length === 1 && isRemark(row, shape) ? 'remark' : null
}

/**
 * Returns whether a row has the sums of a group: numbers, optionally beside a name such as “NTP (2 records)” or, in
 * the first column of a wider table, any name, as a parent row of Smartsheet has it.
 */
function isSum(row: TextRow, { titles, idIndex }: TableShape): boolean {
  const filled = filledOf(row)
  const words = filled.filter((text) => !isFigure(text))
  const width = titles.filter(Boolean).length
  if (words.length === 0) return filled.length > 1 || width > 2
  const isParent = width > 3 && idIndex > 0 && row.texts[0] === words[0]
  return words.length === 1 && filled.length > 1 && (isParent || hasRemark(words[0]!))
}

function repeatsTitles({ texts }: TextRow, { titles, idIndex }: TableShape): boolean {
  const same = texts.filter(
    (text, index) => text !== '' && text.toLowerCase() === titles[index]?.toLowerCase(),
  )
  const filled = texts.filter((text) => text !== '').length
  return (
    same.length === filled &&
    (texts[idIndex] ?? '') !== '' &&
    same.length * 2 >= titles.filter(Boolean).length
  )
}

/** Returns whether a text is one longer word, or has a word among several parts. */
const isWords = (text: string) => /^\p{L}{3,}$/u.test(text) || (/\s/.test(text) && /\p{L}{2}/u.test(text))

/** Returns whether the only text of a row is a remark, such as words in the first column. */
function isRemark({ texts }: TextRow, { titles, idIndex }: TableShape): boolean {
  const index = texts.findIndex((text) => text !== '')
  const text = texts[index]!
  if (hasRemark(text)) return true
  const isFirst = index === idIndex || index === 0
  return (
    isFirst &&
    titles.filter(Boolean).length > 1 &&
    (isWords(text) || (index !== idIndex && isPlaceholder(text)))
  )
}

/** A summary of the rows above the end of a table. */
export interface RowsAbove {
  /** The number of deals. */
  count: number
  /** The fewest digits of their ids; Infinity without any. */
  idDigits: number
}

/**
 * Returns how many of the last rows of a table are its footer. A row with an id is part of it only if it looks
 * like a count: alone in its row, and the number of deals or much shorter than their ids. `above` describes the
 * rows above each of the last ones.
 */
export function footerLength(
  last: TextRow[],
  shape: TableShape,
  above: (index: number) => RowsAbove,
): number {
  let length = 0
  for (let index = last.length - 1; index >= 0; index--) {
    if (!isFooter(last[index]!, last[index - 1], shape, above(index))) break
    length++
  }
  return length
}

function isFooter(row: TextRow, before: TextRow | undefined, shape: TableShape, above: RowsAbove): boolean {
  if (skippedKind(row, shape) !== null) return true
  const filled = filledOf(row)
  const id = idIn(row, shape)
  if (id !== null) return filled.length <= 2 && isCount(id, row, before, shape, above)
  if (filled.some(hasRemark) || (filled.length === 1 && isFigure(filled[0]!))) return true
  const isApart = before !== undefined && row.row - before.row > 1
  return isApart && filled.length <= 2 && (shape.titles.filter(Boolean).length > 2 || filled.length === 1)
}

function isCount(
  id: bigint,
  row: TextRow,
  before: TextRow | undefined,
  shape: TableShape,
  { count, idDigits }: RowsAbove,
): boolean {
  const others = row.texts.filter((text, index) => text !== '' && index !== shape.idIndex)
  if (others.some((text) => typeof readNumber(text) !== 'number' && !total.test(text))) return false
  if (count === 0 || idDigits === Infinity || shape.titles.filter(Boolean).length === 1) return false
  const isBelowTotal = before !== undefined && skippedKind(before, shape) === 'total'
  const missing = idDigits - String(id).length
  if (id === BigInt(count) || (others.length === 0 && missing >= 3)) return true
  return missing > 0 && (isBelowTotal || id < BigInt(count))
}
