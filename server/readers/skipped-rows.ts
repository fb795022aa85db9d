import { isPlaceholder } from '../values/clean.ts'
import { readerOf } from '../values/value.ts'

/** A row of trimmed texts, and its row number. */
export interface TextRow {
  row: number
  texts: string[]
  /** Set if the sheet marks the row as a total. */
  isTotal?: boolean
}

/** Kinds of rows that are not deals, and struck-through rows of deals. */
export type SkippedKind = 'footer' | 'remark' | 'total' | 'titles' | 'rule' | 'group' | 'subitem' | 'struck'

/** The properties of a table that distinguish deals from other rows. */
export interface TableShape {
  /** Titles by column index. */
  titles: string[]
  idIndex: number
}

/**
 * Returns why a row is not a deal: it repeats the titles, is a separator or a total, contains units, or is a
 * remark in a single cell. Returns null if the row may be a deal, which includes every row with an id.
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
 * Returns whether a row contains the totals of a group: numbers and optionally a name such as “NTP (2
 * records)”. In the first column of a wider table, any name is accepted, as in parent rows of Smartsheet.
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

/** Returns whether a string is one word of at least three letters, or has several parts including a word. */
const isWords = (text: string) => /^\p{L}{3,}$/u.test(text) || (/\s/.test(text) && /\p{L}{2}/u.test(text))

/** A summary of the rows above the end of a table. */
export interface RowsAbove {
  count: number
  /** Number of digits of the shortest id, or Infinity if there are no ids. */
  idDigits: number
}

/**
 * Returns the number of rows at the end of a table that are a footer. A row with an id belongs to the footer
 * only if the id looks like a count: it is the only text of its row, and equals the number of deals or is
 * much shorter than their ids. `above` describes the rows above each of the last rows.
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

const readId = readerOf('id')
const readNumber = readerOf('number')
const readTime = readerOf('time')

const idIn = ({ texts }: TextRow, { idIndex }: TableShape): bigint | null => {
  const id = readId(texts[idIndex] ?? '')
  return typeof id === 'bigint' ? id : null
}

const filledOf = ({ texts }: TextRow) => texts.filter((text) => text !== '')

const rule = /^[-=_*~#.+|:—–─═\s]+$/
const total =
  /^(?:sub|grand |report |overall )?[- ]?totals?\b|^(?:sum|count|average|avg|mean|median|minimum|maximum|record count)s?(?:$|[\s:(=])/i
// Matches totals in pivot tables, such as `Permit Total`.
const totalOfGroup = /^.{1,60} totals?$/i

/** Returns whether a string is the label of a total. */
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
// Units, which may be in a row between the titles and the first deal.
const unit =
  /^(?:kwp?(?: ?[ad]c)?|kwh|w|watts?|\$|€|usd|\$\/w|%|#|days?|date|datetime|timestamp|text|string|varchar|number|numeric|integer|int|decimal|float|double|currency|boolean|bool|yes\/no|y\/n|required|optional|[mdy]{1,4}[-/.][mdy]{1,4}[-/.][mdy]{1,4})$/i

const brackets = /^[([]|[)\]]$/g

const range = /^(?:\d[\d/.-]{5,9} to \d[\d/.-]{5,9}|[\d.]{1,9} ?%)$/

/** Returns whether a string is a number, a percentage, a date or a range of dates. */
export const isFigure = (text: string) =>
  range.test(text) || typeof readNumber(text) === 'number' || typeof readTime(text) === 'string'

const hasRemark = (text: string) => remarks.some((remark) => remark.test(text))
