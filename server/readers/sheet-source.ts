import { once } from 'node:events'
import { type WriteStream, createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { type Cell, type VisibleCell, displayText } from '../records/cell.ts'
import { type Sheets, UnreadableFileError, recordMaxBytes } from '../records/record-source.ts'
import type { FileSource, TableRow } from './file-source.ts'
import { TitleGroups } from './header-row.ts'
import { type NumberFormat, general, numberCell } from './number-format.ts'
import { type Row, type TableSettings, tableSource } from './table-source.ts'
import type { CellRange, TallCell } from './xlsx.ts'

/** Maximum number of columns that are read. */
export const columnsMax = 1000
const rowsMax = 1_048_576

// Maximum size of the stored rows. A short file can repeat a long text in many cells.
const rowsMaxBytes = 1024 * 1024 * 1024

const mergedMax = 100_000

// Maximum number of links in a sheet. Excel allows 65,530.
const linksMax = 100_000

/** A stored cell: its text, its value with the displayed text, or a number with the index of its format. */
export type StoredCell = string | VisibleCell | [raw: string, format: number]

// Matches spaces of any kind, including zero-width spaces.
const blank = /^[\s\u200b-\u200d\u2060\ufeff]*$/

/** Returns whether a cell contains more than spaces. */
export const hasContent = (cell: StoredCell) => typeof cell !== 'string' || !blank.test(cell)

/** Returns the text of a cell as formulas see it. */
export function storedText(cell: StoredCell): string {
  if (typeof cell === 'string') return cell
  return Array.isArray(cell) ? cell[0] : cell.value
}

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

/** Receives the rows of a sheet in order. */
export interface RowSink {
  /** True if no further rows are needed. */
  readonly isFull: boolean
  add(row: StoredSheetRow): void
  /** Waits until all added rows are written. */
  settle?(): Promise<unknown>
}

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

/** Limits the number of merged cells and links. @throws UnreadableFileError */
export function requireFew({ tall, wide, links }: Pick<ReadSheet, 'tall' | 'wide' | 'links'>): void {
  if (tall.length + wide.length > mergedMax)
    throw new UnreadableFileError(`the sheet has more than ${mergedMax} merged cells`)
  if (links.length > linksMax) throw new UnreadableFileError(`the sheet has more than ${linksMax} links`)
}

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
  /** Hidden columns, counted from 0. */
  hiddenColumns: number[]
}

/** A range of cells with the same link. */
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

/** Yields the stored rows of a sheet. */
export async function* readSheetRows(path: string, sheet: StoredSheet): AsyncGenerator<TableRow> {
  const merged = new MergedRows(sheet.tall)
  const links = new RowLinks(sheet.links)
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
          cells: groups.name(at, merged.fill(at, links.add(at, cells.map(read), own))),
        }
    }
  } finally {
    lines.close()
  }
}

const cellOf = (cell: StoredCell, { formats, is1904 }: StoredSheet): Cell =>
  Array.isArray(cell) ? numberCell(cell[0], formats[cell[1]] ?? general, is1904) : cell

/** Fills the cells of consecutive rows with the displayed values of merged cells above them. */
class MergedRows {
  readonly #tall: TallCell[]
  #next = 0
  #open: { cell: TallCell; shown: Cell }[] = []

  constructor(tall: TallCell[]) {
    this.#tall = tall.toSorted((a, b) => a.top - b.top)
  }

  fill(row: number, cells: Cell[]): Cell[] {
    this.#open = this.#open.filter(({ cell }) => cell.bottom >= row)
    for (const { cell, shown } of this.#open) {
      while (cells.length <= cell.column) cells.push('')
      cells[cell.column] = shown
    }
    for (; (this.#tall[this.#next]?.top ?? Infinity) <= row; this.#next++) {
      const cell = this.#tall[this.#next]!
      const shown = cell.top === row ? (cells[cell.column] ?? '') : ''
      if (displayText(shown) !== '') this.#open.push({ cell, shown })
    }
    return cells
  }
}

/** Adds links to the cells of consecutive rows. */
class RowLinks {
  readonly #links: LinkedCells[]
  #next = 0
  #open: LinkedCells[] = []

  constructor(links: LinkedCells[]) {
    this.#links = links.toSorted((a, b) => a.top - b.top)
  }

  /** Adds the links of a row, including its `own` links, which are listed by column. */
  add(row: number, cells: Cell[], own: StoredSheetRow['links']): Cell[] {
    this.#open = this.#open.filter(({ bottom }) => bottom >= row)
    for (; (this.#links[this.#next]?.top ?? Infinity) <= row; this.#next++)
      if (this.#links[this.#next]!.bottom >= row) this.#open.push(this.#links[this.#next]!)
    for (const { left, right, address } of this.#open)
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
