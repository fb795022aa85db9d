import {
  type Cell,
  displayText,
  textFor,
  type Sheets,
  UnreadableFileError,
} from '../records/record-source.ts'
import { parseInt64 } from '../values/int64.ts'
import { countKnown, findHeader } from './header-row.ts'
import type { NumberFormat } from './number-format.ts'
import { type RowSink, type StoredSheetRow, cellOf, rowLength } from './sheet-source.ts'
import { fieldOfTitle } from './title-fields.ts'

// Maximum number of rows read per sheet. Enough for notes, a header and some rows.
const rowsMax = 60

// Maximum number of characters read from the first rows of a sheet.
const lengthMax = 1_000_000

/** Maximum number of sheets that are rated. */
export const sampledMax = 50

// Number of rows that count. More rows do not change the rating.
const enoughRows = 3

/** The first rows of a sheet. */
export class FirstRows implements RowSink {
  readonly cells: Cell[][] = []
  readonly #formats: NumberFormat[]
  #length = 0

  constructor(formats: NumberFormat[]) {
    this.#formats = formats
  }

  get isFull(): boolean {
    return this.cells.length >= rowsMax || this.#length > lengthMax
  }

  add({ cells }: Pick<StoredSheetRow, 'cells'>): void {
    if (cells.length === 0 || this.isFull) return
    this.#length += rowLength(cells)
    this.cells.push(cells.map((cell) => cellOf(cell, { formats: this.#formats, is1904: false })))
  }
}

/**
 * Rates how much the first rows of a sheet look like a table of deals. Known titles with ids below them count
 * most, then known titles, then rows with several cells.
 */
function rateSheet(rows: Cell[][]): number[] {
  if (rows.length === 0) return [0, 0, 0]
  const index = findHeader(rows)
  const titles = rows[index]!.map(displayText)
  const below = rows.slice(index + 1)
  const idColumn = titles.findIndex((title) => fieldOfTitle(title) === 'id')
  const ids = below.filter((cells) => parseInt64(textFor('int64', cells[idColumn] ?? '')) !== null).length
  const widthOf = (cells: Cell[]) => cells.filter((cell) => displayText(cell) !== '').length
  const wide = below.filter((cells) => widthOf(cells) >= Math.max(2, widthOf(rows[index]!) / 2)).length
  const known = countKnown(titles)
  return [known * Math.min(ids, enoughRows), known, Math.min(wide, enoughRows)]
}

/**
 * Returns the sheet with this name, or by default the one that most looks like a table of deals, and the
 * other sheets with the same titles. `firstRows` returns the first rows of a sheet.
 * @throws UnreadableFileError if the sheet does not exist
 */
export async function chooseSheet(
  all: string[],
  wanted: string | null,
  firstRows: (index: number) => Promise<Cell[][]>,
): Promise<{ sheets: Sheets; index: number }> {
  if (all.length === 0)
    throw new UnreadableFileError(
      'the workbook has no visible sheet with cells; unhide the one with the deals',
    )
  if (wanted !== null || all.length === 1) {
    const index = wanted === null ? 0 : all.indexOf(wanted)
    if (index >= 0) return { sheets: { chosen: all[index]!, all }, index }
    throw new UnreadableFileError(
      `the workbook has no sheet ${JSON.stringify(wanted)}; it has ${all.map((name) => JSON.stringify(name)).join(', ')}`,
    )
  }
  const ratings: number[][] = []
  for (let index = 0; index < Math.min(all.length, sampledMax); index++)
    ratings.push(rateSheet(await firstRows(index)))
  const best = ratings.reduce((top, rating) => (compare(rating, top) > 0 ? rating : top))
  const index = ratings.indexOf(best)
  // A sheet with a single row of data may be an example.
  const isAlike = ([ids, known]: number[]) => best[0]! > 0 && known === best[1] && ids! >= 2 * best[1]!
  const alike = all.filter((_, at) => at !== index && isAlike(ratings[at] ?? []))
  return { sheets: { chosen: all[index]!, all, ...(alike.length > 0 && { alike }) }, index }
}

/** Compares two ratings of the same length. */
function compare(a: number[], b: number[]): number {
  const at = b.findIndex((value, index) => a[index] !== value)
  return at < 0 ? 0 : (a[at] ?? -1) - b[at]!
}
