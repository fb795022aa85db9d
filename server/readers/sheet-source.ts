import { once } from 'node:events'
import { type WriteStream, createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import {
  type Cell,
  type VisibleCell,
  displayText,
  type Sheets,
  UnreadableFileError,
  recordMaxBytes,
} from '../records/record-source.ts'
import type { FileSource, TableRow } from './file-source.ts'
import { TitleGroups } from './header-row.ts'
import { type NumberFormat, general, numberCell } from './number-format.ts'
import { type Row, type TableSettings, tableSource } from './table-source.ts'
import { type CellRange, type TallCell, formulaAddress } from './xlsx.ts'

/** Maximum number of columns that are read. */
export const columnsMax = 1000
const rowsMax = 1_048_576

/** A sheet with stored rows. */
export interface StoredSheet {
  sheets: Sheets
  /** Number of hidden rows with text. */
  hidden: number
  /** Formats of numbers, by index. */
  formats: NumberFormat[]
  is1904: boolean
  /** Merged cells that span several rows. Each of these rows gets the displayed value. */
  tall: TallCell[]
  /** Merged cells within a row, which may be the title of several columns. */
  wide: CellRange[]
  /** Links of cells, except links in formulas. */
  links: LinkedCells[]
  hiddenColumns: number[]
}

interface LinkedCells extends CellRange {
  address: string
}

/** The properties of a sheet that was read. */
export type ReadSheet = Omit<StoredSheet, 'hidden'>

/** Returns the records of a sheet whose rows are stored in the file at `path`. */
export function sheetSource(
  path: string,
  sheet: StoredSheet,
  { format, headerRow }: Pick<TableSettings, 'format' | 'headerRow'>,
): FileSource<Row> {
  const { hidden, hiddenColumns } = sheet
  const settings = { format, headerRow, hidden, hiddenColumns }
  const source = tableSource(() => readSheetRows(path, sheet), settings)
  return { ...source, sheets: sheet.sheets }
}

async function* readSheetRows(path: string, sheet: StoredSheet): AsyncGenerator<TableRow> {
  const fillMerged = mergedRows(sheet.tall)
  const addLinks = rowLinks(sheet.links)
  const groups = new TitleGroups(sheet.wide)
  const read = (cell: StoredCell) => cellOf(cell, sheet)
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  try {
    for await (const line of lines) {
      const {
        number,
        count,
        isHidden,
        depth,
        isTotal,
        isStruck,
        cells,
        links: own,
      } = JSON.parse(line) as StoredSheetRow
      for (let at = number; at < number + count; at++)
        yield {
          line: at,
          isHidden,
          depth,
          ...(isTotal && { isTotal }),
          ...(isStruck && { isStruck }),
          cells: groups.name(at, fillMerged(at, addLinks(at, cells.map(read), own))),
        }
    }
  } finally {
    lines.close()
  }
}

/** Returns a stored cell as displayed. */
export const cellOf = (
  cell: StoredCell,
  { formats, is1904 }: Pick<StoredSheet, 'formats' | 'is1904'>,
): Cell => (Array.isArray(cell) ? numberCell(cell[0], formats[cell[1]] ?? general, is1904) : cell)

/** Returns a function that returns the ranges that contain a row, for increasing rows. */
function rangesByRow<T extends { top: number; bottom: number }>(ranges: T[]): (row: number) => T[] {
  const sorted = ranges.toSorted((a, b) => a.top - b.top)
  let next = 0
  let open: T[] = []
  return (row) => {
    for (; (sorted[next]?.top ?? Infinity) <= row; next++) open.push(sorted[next]!)
    open = open.filter(({ bottom }) => bottom >= row)
    return open
  }
}

/** Returns a function that fills the cells of each row with the displayed values of merged cells above it. */
function mergedRows(tall: TallCell[]): (row: number, cells: Cell[]) => Cell[] {
  const rangesOf = rangesByRow(tall)
  const values = new WeakMap<TallCell, Cell>()
  return (row, cells) => {
    for (const range of rangesOf(row)) {
      const { column, top } = range
      const value = values.get(range)
      const own = cells[column] ?? ''
      if (top === row && displayText(own) !== '') values.set(range, own)
      if (value === undefined) continue
      while (cells.length <= column) cells.push('')
      cells[column] = value
    }
    return cells
  }
}

/** Returns a function that adds links to the cells of a row, including the row's `own` links, by column. */
function rowLinks(
  links: LinkedCells[],
): (row: number, cells: Cell[], own: StoredSheetRow['links']) => Cell[] {
  const rangesOf = rangesByRow(links)
  return (row, cells, own) => {
    for (const { left, right, address } of rangesOf(row))
      for (let column = left; column <= right && column < cells.length; column++)
        cells[column] = withLink(cells[column]!, address)
    for (const [column, address] of own) cells[column] = withLink(cells[column]!, address)
    return cells
  }
}

function withLink(cell: Cell, link: string): Cell {
  if (typeof cell === 'string') return cell === '' ? cell : { value: cell, shown: cell, link }
  return { ...cell, link }
}

/** A stored cell: its text, its value with the displayed text, or a number with the index of its format. */
export type StoredCell = string | VisibleCell | [raw: string, format: number]

// Matches spaces of any kind, including zero-width spaces.
const blank = /^[\s\u200b-\u200d\u2060\ufeff]*$/

/** Returns whether a cell contains more than spaces. */
export const hasContent = (cell: StoredCell) => typeof cell !== 'string' || !blank.test(cell)

/** A stored row of a sheet. Consecutive identical rows are stored once. */
export interface StoredSheetRow {
  number: number
  count: number
  isHidden: boolean
  /** Outline level of the row. */
  depth: number
  /** True if a formula in the row adds up other rows. */
  isTotal: boolean
  /** True if any text in the row is struck through. */
  isStruck: boolean
  cells: StoredCell[]
  /** The URLs of linked cells, by column. */
  links: [column: number, address: string][]
}

/** Returns a row without cells. */
export const emptyRow = (number: number, count = 1): StoredSheetRow => ({
  number,
  count,
  isHidden: false,
  depth: 0,
  isTotal: false,
  isStruck: false,
  cells: [],
  links: [],
})

/** Adds the links of formulas to their row. A formula refers to cells as if it were in the row `row`. */
export function addFormulaLinks(
  { cells, links }: StoredSheetRow,
  formulas: { column: number; formula: string; row: number }[],
): void {
  const textAt = (column: number) => {
    const cell = cells[column] ?? ''
    if (typeof cell === 'string') return cell
    return Array.isArray(cell) ? cell[0] : cell.value
  }
  for (const { column, formula, row } of formulas) {
    const address = formulaAddress(formula, row, textAt)
    if (address !== null && column < cells.length) links.push([column, address])
  }
}

/** Receives the rows of a sheet in order. */
export interface RowSink {
  /** True if no further rows are needed. */
  readonly isFull: boolean
  add(row: StoredSheetRow): void
  /** Waits until all added rows are written. */
  settle?(): Promise<unknown>
}

// Maximum size of the stored rows. A short file can repeat a long text in many cells.
const rowsMaxBytes = 1024 * 1024 * 1024

/** Stores the rows of a sheet as JSON lines in a file, so that memory does not grow with the sheet. */
export class SheetRows implements RowSink {
  readonly isFull = false
  hidden = 0
  readonly #out: WriteStream
  readonly #ended: Promise<void>
  #bytes = 0

  constructor(path: string) {
    this.#out = createWriteStream(path, { mode: 0o600 })
    this.#ended = finished(this.#out)
    this.#ended.catch(() => {})
  }

  /** Adds a row `count` times unless the row has no text. @throws UnreadableFileError if it is too long */
  add(row: StoredSheetRow): void {
    const { number, count, isHidden, cells } = row
    if (cells.length === 0) return
    if (!(number > 0 && number + count - 1 <= rowsMax))
      throw new UnreadableFileError(`the sheet has a row with the number ${number + count - 1}`)
    const length = rowLength(cells)
    if (length > recordMaxBytes)
      throw new UnreadableFileError(`row ${number} is longer than ${recordMaxBytes} characters`)
    if ((this.#bytes += length * count) > rowsMaxBytes)
      throw new UnreadableFileError('its rows are too long together')
    if (isHidden) this.hidden += count
    this.#out.write(`${JSON.stringify(row)}\n`)
  }

  settle = async (): Promise<void> => {
    if (this.#out.writableNeedDrain) await Promise.race([once(this.#out, 'drain'), this.#ended])
  }

  async end(): Promise<void> {
    this.#out.end()
    await this.#ended
  }
}

/** Returns the approximate number of characters in a row. */
export const rowLength = (cells: StoredCell[]) =>
  cells.reduce((sum: number, cell) => sum + lengthOf(cell) + 3, 0)

function lengthOf(cell: StoredCell): number {
  if (typeof cell === 'string') return cell.length
  return Array.isArray(cell) ? cell[0].length : cell.value.length + cell.shown.length
}

const mergedMax = 100_000

// Maximum number of links in a sheet. Excel allows 65,530.
const linksMax = 100_000

/** Limits the number of merged cells and links. @throws UnreadableFileError */
export function requireFew({ tall, wide, links }: Pick<ReadSheet, 'tall' | 'wide' | 'links'>): void {
  if (tall.length + wide.length > mergedMax)
    throw new UnreadableFileError(`the sheet has more than ${mergedMax} merged cells`)
  if (links.length > linksMax) throw new UnreadableFileError(`the sheet has more than ${linksMax} links`)
}
