import { once } from 'node:events'
import { type WriteStream, createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { type Cell, type ShownCell, shownText } from '../deals/import/cell.ts'
import {
  type RecordSource,
  type Sheets,
  UnreadableFileError,
  recordMaxBytes,
} from '../deals/import/record-source.ts'
import { type NumberFormat, numberCell } from './number-format.ts'
import { type TableRow, type TableSettings, tableSource } from './table-source.ts'
import type { TallCell } from './xlsx.ts'

/** Maximum columns read, and maximum rows in a sheet. */
export const columnsMax = 1000
const rowsMax = 1_048_576

// The same text may occur in many cells.
const rowsMaxBytes = 1024 * 1024 * 1024

const tallCellsMax = 100_000

/** A stored cell: its text, its displayed text, or a number with its format index. */
export type StoredCell = string | ShownCell | [raw: string, format: number]

/** A stored row of a sheet; consecutive equal rows are stored once. */
interface StoredSheetRow {
  number: number
  count: number
  isHidden: boolean
  cells: StoredCell[]
}

/** Stores the rows of a sheet in a file of JSON lines, so memory does not grow with the sheet. */
export class SheetRows {
  hidden = 0
  readonly #out: WriteStream
  readonly #ended: Promise<void>
  #bytes = 0

  constructor(path: string) {
    this.#out = createWriteStream(path, { mode: 0o600 })
    this.#ended = finished(this.#out)
    this.#ended.catch(() => {})
  }

  /** Adds a row `count` times, unless it has no text. @throws UnreadableFileError if it is too long */
  add({ number, count, isHidden, cells }: StoredSheetRow): void {
    if (cells.every((cell) => cell === '')) return
    if (!(number > 0 && number + count - 1 <= rowsMax))
      throw new UnreadableFileError(`the sheet has a row with the number ${number + count - 1}`)
    const length = cells.reduce((sum, cell) => sum + lengthOf(cell) + 3, 0)
    if (length > recordMaxBytes)
      throw new UnreadableFileError(`row ${number} is longer than ${recordMaxBytes} characters`)
    if ((this.#bytes += length * count) > rowsMaxBytes)
      throw new UnreadableFileError('its rows are too long together')
    if (isHidden) this.hidden += count
    const row: StoredSheetRow = { number, count, isHidden, cells }
    this.#out.write(`${JSON.stringify(row)}\n`)
  }

  /** Waits until all added rows are written. */
  settle = async (): Promise<void> => {
    if (this.#out.writableNeedDrain) await Promise.race([once(this.#out, 'drain'), this.#ended])
  }

  async end(): Promise<void> {
    this.#out.end()
    await this.#ended
  }
}

function lengthOf(cell: StoredCell): number {
  if (typeof cell === 'string') return cell.length
  return Array.isArray(cell) ? cell[0].length : cell.value.length + cell.shown.length
}

/** Checks the column of a cell, counted from 0. @throws UnreadableFileError */
export function requireColumn(column: number | null, name: string): number {
  if (column === null || column >= columnsMax)
    throw new UnreadableFileError(
      `the sheet has a cell in ${name}, and at most ${columnsMax} columns are read`,
    )
  return column
}

/** Checks the number of merged cells. @throws UnreadableFileError */
export function requireFewTall(cells: TallCell[]): void {
  if (cells.length > tallCellsMax)
    throw new UnreadableFileError(`the sheet has more than ${tallCellsMax} merged cells`)
}

/** A sheet with stored rows. */
export interface StoredSheet {
  sheets: Sheets
  /** The number of hidden rows with texts. */
  hidden: number
  /** The formats of its numbers, by index. */
  formats: NumberFormat[]
  is1904: boolean
  /** Its merged cells that span several rows: each row has their displayed value. */
  tall: TallCell[]
}

/** How a sheet was read. */
export type ReadSheet = Omit<StoredSheet, 'hidden'>

/** Returns the records of a sheet whose rows are stored in the file at `path`. */
export function sheetSource(
  path: string,
  sheet: StoredSheet,
  { format, headerRow }: Pick<TableSettings, 'format' | 'headerRow'>,
): RecordSource {
  const source = tableSource(() => readRows(path, sheet), { format, headerRow, hidden: sheet.hidden })
  return { ...source, sheets: sheet.sheets }
}

async function* readRows(path: string, sheet: StoredSheet): AsyncGenerator<TableRow> {
  const merged = new MergedRows(sheet.tall)
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  try {
    for await (const line of lines) {
      const { number, count, isHidden, cells } = JSON.parse(line) as StoredSheetRow
      for (let at = number; at < number + count; at++)
        yield {
          line: at,
          isHidden,
          cells: merged.fill(
            at,
            cells.map((cell) => cellOf(cell, sheet)),
          ),
        }
    }
  } finally {
    lines.close()
  }
}

const cellOf = (cell: StoredCell, { formats, is1904 }: StoredSheet): Cell =>
  Array.isArray(cell) ? numberCell(cell[0], formats[cell[1]]!, is1904) : cell

/** Fills the cells of rows, in order, with the displayed values of merged cells from above. */
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
      if (shownText(shown) !== '') this.#open.push({ cell, shown })
    }
    return cells
  }
}
