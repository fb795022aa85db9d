import { valueKindOf } from '../deals/deal.ts'
import { type Cell, displayText } from '../records/record-source.ts'
import { trimmed } from '../values/clean.ts'
import { ColumnTally, type Content, isContent } from '../values/column.ts'
import { idDigits, parseNumber } from '../values/number.ts'
import { isState } from '../values/states.ts'
import { Unreadable, readerOf } from '../values/value.ts'
import type { TableRow } from './file-source.ts'
import { fieldOfTitle } from './title-fields.ts'

// An unquoted `$30,514.00` is split into two cells and shifts the following cells, so its row has more cells
// than the header. Adjacent cells are joined if only one way of joining makes every value fit its column.
// Cells that remain ambiguous are not read.

/** Yields the header of a text file, then its rows with cells aligned with their titles. */
export async function* alignedRows(
  rows: AsyncIterable<TableRow>,
  aligner: RowAligner,
): AsyncGenerator<TableRow> {
  let isHeader = true
  for await (const row of rows) {
    yield isHeader ? row : aligner.align(row)
    isHeader = false
  }
}

/**
 * Returns an aligner that has learned from the rows of a text file, header first, or null if there are no
 * rows.
 */
export async function learnAligner(
  rows: AsyncIterable<TableRow>,
  delimiter: string,
): Promise<RowAligner | null> {
  let aligner: RowAligner | null = null
  for await (const { cells, isTooLong } of rows) {
    if (aligner === null) aligner = new RowAligner(cells.map(displayText), delimiter)
    else if (!isTooLong) aligner.learn(cells)
  }
  aligner?.end()
  return aligner
}

// Maximum number of extra cells in a row. Rows with more are not read.
const extraMax = 8

// Ways of joining are also considered possible if their score is this close to the best score.
const margin = 1.5

const valuesMax = 500
const valueMaxLength = 100

/**
 * Learns the columns of a text file from rows as long as the header, and aligns longer rows with the columns.
 */
class RowAligner {
  readonly #columns: LearnedColumn[]
  readonly #delimiter: string
  /** Number of rows by the number of empty cells beyond the header. */
  readonly #padded = new Map<number, number>()
  #hasBlanks = false
  #padding = 0

  constructor(titles: string[], delimiter: string) {
    this.#columns = titles.map((title, at) => new LearnedColumn(title, at === titles.length - 1))
    this.#delimiter = delimiter
  }

  learn(cells: Cell[]): void {
    const extra = cells.slice(this.#columns.length)
    if (extra.some((cell) => trimmed(displayText(cell)) !== '')) return
    this.#padded.set(extra.length, (this.#padded.get(extra.length) ?? 0) + 1)
    if (extra.length > 0) return
    const texts = cells.map(displayText)
    if (texts.slice(1).some(startsBlank)) this.#hasBlanks = true
    for (const [at, text] of texts.entries()) this.#columns[at]!.add(text)
  }

  /** Ends the learning phase. */
  end(): void {
    const most = Math.max(0, ...this.#padded.values())
    // Some programs write a separator after the last cell of each row.
    this.#padding = [...this.#padded].find(([, count]) => count === most)?.[0] ?? 0
  }

  /** Returns a row whose cells are aligned with their titles. */
  align(row: TableRow): TableRow {
    const width = this.#columns.length
    const extra = row.cells.length - width
    const isPadded =
      extra <= this.#padding && row.cells.slice(width).every((cell) => displayText(cell) === '')
    if (extra <= 0 || isPadded) return row
    const texts = row.cells.map(displayText)
    const problem = `may be another column's: the row has ${texts.length} cells and the header ${width}. Put cells that contain the separator in quotes`
    const unsure = (text: string): Cell => ({ value: '', shown: text, problem })
    if (extra > extraMax) return { ...row, cells: texts.slice(0, width).map(unsure) }
    const found = this.#findSpans(texts, extra)
    // If nothing is joined, the extra cells are a remark beside the table.
    if (found.every((spans) => spans.length === 1 && spans[0]!.joins === 0)) return row
    const cells = found.map((spans) => (spans.length === 1 ? spans[0]!.text : unsure(spans[0]!.text)))
    const joined = found.flatMap((spans) =>
      spans.length === 1 && spans[0]!.joins > 0 ? [spans[0]!.text] : [],
    )
    return { ...row, cells, joined }
  }

  /** Returns the possible texts of each column, most likely first. */
  #findSpans(texts: string[], extra: number): { text: string; joins: number }[][] {
    const columns = this.#columns
    const textOf = (at: number, from: number, joins: number) =>
      texts.slice(at + from, at + from + joins + 1).join(this.#delimiter)
    const scores = columns.map((column, at) =>
      table(extra, (from, joins) => {
        const pieces = texts.slice(at + from, at + from + joins + 1)
        return column.score(pieces, textOf(at, from, joins), at > 0 && !this.#hasBlanks)
      }),
    )
    // Best scores of the preceding and following columns, by the number of cells joined before.
    const before = [[0, ...Array.from({ length: extra }, () => -Infinity)]]
    for (const [at, ofColumn] of scores.entries())
      before.push(
        Array.from({ length: extra + 1 }, (_, to) =>
          Math.max(...indexes(to).map((from) => before[at]![from]! + ofColumn[from]![to - from]!)),
        ),
      )
    let after = Array.from({ length: extra + 1 }, (_, from) =>
      scoreBeyond(texts.slice(columns.length + from), !this.#hasBlanks),
    )
    const best = Math.max(...indexes(extra).map((from) => before[columns.length]![from]! + after[from]!))
    const found: { text: string; joins: number }[][] = []
    for (const at of columns.keys().toArray().toReversed()) {
      const ways = indexes(extra)
        .flatMap((from) => indexes(extra - from).map((joins) => ({ from, joins })))
        .map(({ from, joins }) => ({
          text: textOf(at, from, joins),
          joins,
          score: before[at]![from]! + scores[at]![from]![joins]! + after[from + joins]!,
        }))
        .filter(({ score }) => score > best - margin)
        .toSorted((a, b) => b.score - a.score)
      found.unshift(ways.filter((way, index) => ways.findIndex(({ text }) => text === way.text) === index))
      const next = after
      after = indexes(extra).map((from) =>
        Math.max(...indexes(extra - from).map((joins) => scores[at]![from]![joins]! + next[from + joins]!)),
      )
    }
    return found
  }
}

const indexes = (last: number) => Array.from({ length: last + 1 }, (_, index) => index)

const table = (last: number, of: (from: number, joins: number) => number) =>
  indexes(last).map((from) => indexes(last - from).map((joins) => of(from, joins)))

const startsBlank = (text: string) => text.startsWith(' ') && trimmed(text) !== ''

/** Returns the score of cells beyond the last column. */
function scoreBeyond(texts: string[], isBlankEvidence: boolean): number {
  if (texts.length > 0 && texts.every((text) => trimmed(text) === '')) return 1
  const blanks = isBlankEvidence ? texts.filter(startsBlank).length : 0
  return -texts.length - 1.5 * blanks
}

/** Types of content that a column is tested for, most specific first. */
const testedContents: Exclude<Content, 'state'>[] = [
  'email',
  'phone',
  'zip',
  'url',
  'coordinates',
  'date',
  'number',
  'flag',
]

// Number of values needed to recognize the content of a column.
const enoughValues = 3

/** A column of a text file, learned from the values of its first rows. */
class LearnedColumn {
  readonly #title: string
  readonly #isLast: boolean
  readonly #field: string
  readonly #tally = new ColumnTally()
  readonly #values = new Set<string>()
  #test: ((text: string) => boolean) | null | undefined

  constructor(title: string, isLast: boolean) {
    this.#title = trimmed(title)
    this.#isLast = isLast
    this.#field = fieldOfTitle(title) ?? ''
  }

  add(text: string): void {
    const value = trimmed(text)
    if (value === '') return
    this.#tally.add(value)
    if (this.#values.size < valuesMax && value.length <= valueMaxLength) this.#values.add(value)
  }

  /** Returns how well a string that consists of these cells fits the column. */
  score(pieces: string[], text: string, isBlankEvidence: boolean): number {
    const value = trimmed(text)
    const isJoined = pieces.length > 1
    const cost = isBlankEvidence && startsBlank(pieces[0]!) ? -1.5 : 0
    if (isJoined && (this.#title === '' || pieces.some((piece) => trimmed(piece) === ''))) return -4
    if (value === '') return 0
    if (this.#test === undefined) this.#test = this.#findTest()
    if (this.#test?.(value) === false) return -3
    const fit = this.#test === null || this.#isShort(value) ? 0 : 2
    if (this.#values.has(value)) return cost + 2
    if (!isJoined) return cost + fit
    const areBlank = pieces.slice(1).every(startsBlank)
    // Extra cells after the last column are more likely a remark beside the table.
    if (this.#test === null && !areBlank)
      return cost - (this.#isLast ? 3 : 1) - (this.#isOfWords && /\d/.test(value) ? 2 : 0)
    if (this.#test === null) return cost
    const isNumeric = this.#test === isNumber || this.#test === isId
    const isBroken = isNumeric && (areBlank || !pieces.every((piece) => /\d/.test(piece)))
    return cost + fit + (isBroken ? -4 : 1)
  }

  /** True if no value contains digits, as in names. */
  get #isOfWords(): boolean {
    return this.#values.size > 0 && this.#values.values().every((value) => !/\d/.test(value))
  }

  /** Returns whether a string has fewer digits than the ids of the column. */
  #isShort = (text: string) =>
    this.#test === isId &&
    text.replaceAll(/\D/g, '').length < Math.min(...[...this.#values].map(({ length }) => length))

  /** Returns the test for values of the column, or null if any text may be a value. */
  #findTest(): ((text: string) => boolean) | null {
    const tally = this.#tally
    const isLearned = tally.filled >= enoughValues
    if (isLearned && tally.all('state')) return isState
    if (!isLearned || this.#isFitting()) {
      const test = testOf(this.#field)
      if (test !== null) return test
    }
    const content = isLearned ? testedContents.find((each) => tally.all(each)) : undefined
    return content === undefined ? null : (text) => isContent(content, text)
  }

  /** Returns whether most values fit the field. */
  #isFitting(): boolean {
    const test = testOf(this.#field)
    const values = [...this.#values].slice(0, 50)
    return test !== null && values.filter(test).length * 2 >= values.length
  }
}

const isNumber = (text: string) => parseNumber(text, '.') !== null || parseNumber(text, ',') !== null
const isId = (text: string) => {
  const digits = idDigits(text, '.')
  return digits !== null && digits !== 'exponent'
}
const readTimes = [readerOf('time'), readerOf('time', { dayFirst: true })]
const readFlag = readerOf('flag')

function testOf(field: string): ((text: string) => boolean) | null {
  if (field === 'zipCode') return (text) => isContent('zip', text)
  if (field === 'state') return isState
  if (field === 'primaryPhone') return (text) => isContent('phone', text)
  if (field.endsWith('.email') || field === 'hoaEmail') return (text) => isContent('email', text)
  if (field.startsWith('numberOf')) return (text) => isContent('count', text)
  if (field === 'systemSize' || field === 'loanAmount') return isNumber
  switch (valueKindOf(field)) {
    case 'id':
      return isId
    case 'number':
      return isNumber
    case 'time':
      return (text) => readTimes.some((read) => !(read(text) instanceof Unreadable))
    case 'flag':
      return (text) => !(readFlag(text) instanceof Unreadable)
    default:
      return null
  }
}
