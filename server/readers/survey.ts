import {
  type Cell,
  cellName,
  cellProblem,
  displayText,
  textFor,
  recordTitle,
  rejectedTitles,
} from '../records/record-source.ts'
import { trimmed } from '../values/clean.ts'
import { ColumnTally } from '../values/column.ts'
import { readerOf } from '../values/value.ts'
import { alignedRows, learnAligner } from './align-rows.ts'
import type { JoinedCells, SkippedRows, SourceColumn, TableRow } from './file-source.ts'
import { type Grouping, GroupFinder, groupedRows } from './group-rows.ts'
import { type NamedColumn, cleanTitle, nameColumns, rowText } from './header-row.ts'
import { type TableShape, type TextRow, footerLength, skippedKind } from './skipped-rows.ts'
import { isOpenDateTitle, titleFields } from './title-fields.ts'

/** A column of a table, with the index of its cells in the rows. */
export type SurveyedColumn = NamedColumn & SourceColumn

/** The results of surveying all rows of a table. */
export interface Survey {
  columns: SurveyedColumn[]
  /** Number of columns before the record in a file of rejected rows. */
  added: number
  /** True if each row contains a record as JSON. */
  isJson: boolean
  isEmpty: boolean
  /** True if a row has more cells than the header. */
  hasLongRows: boolean
  joined: JoinedCells | null
  /** How the rows are grouped, or null if they are not. */
  grouping: Grouping | null
  skipped: SkippedRows[]
  /** Returns whether a row is not a deal. */
  isSkipped(row: TableRow): boolean
}

/** The survey of a table, and the rows as surveyed, header first. */
export type Surveyed = Survey & { rows: () => AsyncGenerator<TableRow> }

/** Surveys a table, and repeats this after joining cells or adding the names of groups. */
export async function surveyTable(
  rows: () => AsyncGenerator<TableRow>,
  { delimiter, hidden, hiddenColumns }: { delimiter?: string; hidden?: number; hiddenColumns?: number[] },
): Promise<Surveyed> {
  const found = await surveyRows(rows(), hiddenColumns)
  const aligner =
    delimiter !== undefined && found.hasLongRows && !found.isJson
      ? await learnAligner(rows(), delimiter)
      : null
  const aligned = aligner === null ? rows : () => alignedRows(rows(), aligner)
  const survey = aligner === null ? found : await surveyRows(aligned(), hiddenColumns)
  const { grouping, isSkipped } = survey
  const isJson = delimiter === undefined && hidden === undefined
  if (grouping === null || isJson) return { ...survey, rows: aligned }
  const grouped = () => groupedRows(aligned(), grouping, (row) => !isSkipped(row))
  return { ...(await surveyRows(grouped(), hiddenColumns)), rows: grouped }
}

/** Maximum number of columns in a file: seven times the fields of a deal and its people. */
const columnsMax = 1000

const examplesMax = 3
const exampleMax = 100

// Number of dates that are examined to decide whether they are in the future.
const datesMax = 1000

// Maximum number of rows in a footer.
const lastRowsMax = 60

async function surveyRows(
  rows: AsyncIterable<TableRow>,
  hiddenColumns: readonly number[] = [],
): Promise<Survey> {
  let surveyor: Surveyor | null = null
  for await (const row of rows) {
    if (surveyor === null) surveyor = new Surveyor(row.cells.map(displayText), row.above)
    else surveyor.add(row)
  }
  return (surveyor ?? new Surveyor([])).end(new Set(hiddenColumns))
}

class Surveyor {
  readonly #titles: string[]
  readonly #firstHeading: string | undefined
  readonly #added: number
  readonly #isJson: boolean
  readonly #columns = new Map<number, ColumnSurvey>()
  readonly #last: TableRow[] = []
  readonly #skipped = new SkippedTally()
  readonly #footer = new Set<number>()
  #shape: TableShape | null = null
  #groups: GroupFinder | null = null
  #isEmpty = true
  #hasLongRows = false
  readonly #joined: JoinedCells = { count: 0, rows: [] }
  #above = { count: 0, idDigits: Infinity }

  /** `firstHeading` is the text of the row above the titles, if the row contains nothing else. */
  constructor(titles: string[], firstHeading?: string) {
    this.#firstHeading = firstHeading
    this.#titles = titles.map(cleanTitle)
    this.#added = rejectedTitles.every((title, at) => this.#titles[at] === title) ? rejectedTitles.length : 0
    const named = this.#titles.slice(this.#added).filter((title) => title !== '')
    this.#isJson = this.#added > 0 && named.length === 1 && named[0] === recordTitle
  }

  add(row: TableRow): void {
    this.#isEmpty = false
    if (this.#isJson) return
    if (row.cells.length > this.#titles.length) this.#hasLongRows = true
    if (row.joined !== undefined && row.joined.length > 0) addShown(this.#joined, row.line, row.joined)
    this.#last.push(row)
    if (this.#last.length <= lastRowsMax) return
    const above = this.#last.shift()!
    if (this.#take(above)) this.#count(valueText(above.cells[this.#shapeOf().idIndex]))
  }

  end(hidden: ReadonlySet<number>): Survey {
    const footer = this.#findFooter()
    for (const row of this.#last.slice(0, this.#last.length - footer.length)) this.#take(row)
    for (const row of footer) {
      this.#footer.add(row.line)
      this.#skipped.add('footer', row)
    }
    const grouping = this.#added > 0 || this.#isJson ? null : (this.#groups?.end() ?? null)
    const columns = nameColumns(this.#titles, this.#columns.keys())
    const empty = new ColumnSurvey('')
    return {
      columns: fewest(columns, this.#columns).map((column) => ({
        ...column,
        ...(this.#columns.get(column.index) ?? empty).result(column),
        ...(hidden.has(column.index) && { hidden: true as const }),
      })),
      added: this.#added,
      isJson: this.#isJson,
      isEmpty: this.#isEmpty,
      grouping,
      hasLongRows: this.#hasLongRows,
      joined: this.#joined.count === 0 ? null : this.#joined,
      skipped: this.#skipped.all(),
      isSkipped: (row) => this.#footer.has(row.line) || this.#kindOf(row) !== null,
    }
  }

  /** Returns the shape of the table. Finds the id column from the first rows. */
  #shapeOf(): TableShape {
    return (this.#shape ??= { titles: this.#titles, idIndex: findIds(this.#titles, this.#last) })
  }

  #kindOf(row: TableRow) {
    if (this.#added > 0 || row.isTooLong) return null
    if (row.isGroup) return 'group'
    if (row.isSubitem) return 'subitem'
    const shape = this.#shapeOf()
    const id = trimmed(valueText(row.cells[shape.idIndex]))
    if (/^\d+$/.test(id)) return null
    // In Smartsheet, a parent row names the rows below or contains their total.
    const isParent = row.isParent === true && shape.idIndex >= 0 && id === ''
    return skippedKind(textRow(row), shape) ?? (isParent ? 'group' : null)
  }

  /** Counts a deal above the last rows. */
  #count(idText = ''): void {
    const id = readId(idText)
    this.#above.count++
    if (typeof id === 'bigint') this.#above.idDigits = Math.min(this.#above.idDigits, String(id).length)
  }

  #findFooter(): TableRow[] {
    if (this.#added > 0 || this.#isJson) return []
    const shape = this.#shapeOf()
    const last = this.#last.map(textRow)
    const above = last.map((row) => {
      const before = { ...this.#above }
      if (skippedKind(row, shape) === null) this.#count(row.texts[shape.idIndex])
      return before
    })
    const length = footerLength(last, shape, (index) => above[index]!)
    return length === 0 ? [] : this.#last.slice(-length)
  }

  /** Surveys a row above the footer. Returns whether the row may be a deal. */
  #take(row: TableRow): boolean {
    const kind = this.#kindOf(row)
    this.#groups ??= new GroupFinder(this.#titles, this.#shapeOf().idIndex, this.#firstHeading)
    this.#groups.add(row, kind)
    if (kind !== null) {
      this.#skipped.add(kind, row)
      return false
    }
    if (row.isStruck) this.#skipped.add('struck', row)
    for (const [index, cell] of row.cells.entries()) {
      if (cell === '') continue
      let column = this.#columns.get(index)
      if (column === undefined) {
        if (trimmed(displayText(cell)) === '' || this.#columns.size === columnsMax) continue
        column = new ColumnSurvey(this.#titles[index] ?? '')
        this.#columns.set(index, column)
      }
      column.add(cell, index, row.line)
    }
    return true
  }
}

function fewest(columns: NamedColumn[], content: ReadonlyMap<number, unknown>): NamedColumn[] {
  if (columns.length <= columnsMax) return columns
  let empty = columnsMax - content.size
  return columns.filter(({ index }) => content.has(index) || empty-- > 0).slice(0, columnsMax)
}

/** Collects the properties of a column. */
class ColumnSurvey {
  readonly #tally = new ColumnTally()
  readonly #examples: string[] = []
  readonly #dates: string[] | null
  #first: string | undefined

  constructor(title: string) {
    this.#dates = isOpenDateTitle(title) ? [] : null
  }

  add(cell: Cell, index: number, line: number): void {
    if (cellProblem(cell) === null) this.#tally.add(valueText(cell))
    this.#first ??= cellName(index, line)
    if (this.#dates !== null && this.#dates.length < datesMax)
      this.#dates.push(textFor('time', cell).slice(0, exampleMax))
    if (this.#examples.length === examplesMax) return
    const shown = trimmed(displayText(cell)).slice(0, exampleMax).toWellFormed()
    if (shown !== '' && !this.#examples.includes(shown)) this.#examples.push(shown)
  }

  result({ isUntitled }: NamedColumn): Omit<SourceColumn, 'title'> {
    return {
      examples: this.#examples,
      tally: this.#tally,
      dates: this.#dates ?? [],
      ...(isUntitled && this.#first !== undefined && { untitled: this.#first }),
    }
  }
}

const readId = readerOf('id')
const isId = (text: string) => typeof readId(text) === 'bigint'

// A quick test before the thorough one, for headers with many columns.
const mayNameIds = /id|no|num|#/i

/** Returns the index of the id column, found by title and first rows, or -1. */
function findIds(titles: string[], first: TableRow[]): number {
  const shareOf = (index: number) => {
    const texts = first.map(({ cells }) => trimmed(displayText(cells[index] ?? ''))).filter(Boolean)
    return texts.length === 0 ? 0 : texts.filter(isId).length / texts.length
  }
  const named = titles.flatMap((title, index) =>
    mayNameIds.test(title) && titleFields(title).includes('id') ? [index] : [],
  )
  const found = named.find((index) => shareOf(index) >= 0.5) ?? named[0]
  if (found !== undefined) return found
  const isLong = (index: number) =>
    first.some(({ cells }) => /^\d{6,19}$/.test(trimmed(displayText(cells[index] ?? ''))))
  return titles.slice(0, columnsMax).findIndex((_title, index) => shareOf(index) >= 0.5 && isLong(index))
}

const textRow = ({ line, cells, isTotal }: TableRow): TextRow => ({
  row: line,
  texts: cells.map((cell) => trimmed(typeof cell === 'string' ? cell : cell.shown)),
  ...(isTotal && { isTotal }),
})

/** Returns the text that numbers are parsed from. */
const valueText = (cell: Cell = '') => (typeof cell === 'string' ? cell : cell.value)

const rowsShownMax = 5

/** Counts a row, and keeps the text of the first rows. */
function addShown(found: JoinedCells, row: number, cells: Cell[]): void {
  found.count++
  if (found.rows.length < rowsShownMax) found.rows.push({ row, text: rowText(cells) })
}

/** Counts the rows that are not deals. */
class SkippedTally {
  readonly #kinds = new Map<SkippedRows['kind'], SkippedRows>()

  add(kind: SkippedRows['kind'], { line, cells }: TableRow): void {
    let found = this.#kinds.get(kind)
    if (found === undefined) this.#kinds.set(kind, (found = { kind, count: 0, rows: [] }))
    addShown(found, line, cells)
  }

  all = () => [...this.#kinds.values()]
}
