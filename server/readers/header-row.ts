import {
  type Cell,
  displayText,
  columnName,
  UnreadableHeader,
  rejectedTitles,
} from '../records/record-source.ts'
import { trimmed } from '../values/clean.ts'
import { ellipsize } from '../values/short-text.ts'
import type { HeaderRow, TableRow } from './file-source.ts'
import { fieldOfTitle } from './title-fields.ts'
import type { CellRange } from './xlsx.ts'

/** Yields the header row of a table and the rows below. `headerRow` is its number, or null to detect it. */
export async function* fromHeader(
  rows: AsyncIterable<TableRow>,
  headerRow: number | null,
): AsyncGenerator<TableRow> {
  const first: TableRow[] = []
  let isFound = false
  for await (const row of filled(rows)) {
    if (isFound) yield row
    else if (headerRow !== null) {
      if (row.line > headerRow) break
      isFound = row.line === headerRow
      if (isFound) yield row
    } else if (first.push(row) === headerRowsMax) {
      isFound = true
      yield* belowTitles(first.splice(0))
    }
  }
  if (headerRow !== null && !isFound) throw new UnreadableHeader(`row ${headerRow} is empty`)
  yield* belowTitles(first)
}

/** Drops the rows above the header. */
function belowTitles(rows: TableRow[]): TableRow[] {
  const at = findHeader(rows.map(({ cells }) => cells))
  const [header, ...rest] = rows.slice(at)
  if (header === undefined) return []
  const above = rows[at - 1]?.cells.map((cell) => displayText(cell).trim()).filter(Boolean)
  const named = belowGroups(rows[at - 1], header)
  return [above?.length === 1 ? { ...named, above: above[0]! } : named, ...rest]
}

/** Returns the header row and other possible header rows. `hidden` is the number of hidden rows. */
export async function readHeaderRow(
  rows: AsyncIterable<TableRow>,
  { headerRow, hidden = 0 }: { headerRow: number | null; hidden?: number },
): Promise<HeaderRow | null> {
  const choices: HeaderRow['choices'] = []
  const first: Cell[][] = []
  let hiddenAbove = 0
  for await (const { line, cells, isHidden } of filled(rows)) {
    if (isHidden === true && line <= (headerRow ?? 0)) hiddenAbove++
    if (first.length < headerRowsMax || line === headerRow) {
      choices.push({ row: line, text: rowText(cells) })
      first.push(cells)
    }
    if (first.length >= headerRowsMax && line >= (headerRow ?? 0)) break
  }
  if (first.length === 0) return null
  const row = headerRow ?? choices[findHeader(first)]!.row
  return { row, choices, hiddenRows: hidden - hiddenAbove }
}

/**
 * Yields the rows with content. Marks parents of indented rows, and subitems of monday.com, which have their
 * own titles.
 */
async function* filled(rows: AsyncIterable<TableRow>): AsyncGenerator<TableRow> {
  let isSubitem = false
  let last: TableRow | null = null
  for await (const row of rows) {
    if (!hasText(row)) continue
    const [first = '', second = ''] = row.cells
    if (first === 'Subitems' && second === 'Name') isSubitem = true
    else if (first !== '') isSubitem = false
    if (last !== null) yield depthOf(row) > depthOf(last) ? { ...last, isParent: true } : last
    last = isSubitem ? { ...row, isSubitem } : row
  }
  if (last !== null) yield last
}

const depthOf = ({ depth = 0, cells: [first = ''] }: TableRow) =>
  depth + (typeof first === 'string' ? first.search(/\S|$/) : 0)

const hasText = ({ cells, isTooLong }: TableRow) =>
  isTooLong === true ||
  cells.some((cell) => typeof cell !== 'string' || (cell !== '' && trimmed(cell) !== ''))

const rowTextMax = 80

/** Returns the beginning of a row as shown to people. */
export function rowText(cells: Cell[]): string {
  const texts = cells.map((cell) => trimmed(displayText(cell))).filter((text) => text !== '')
  return ellipsize(texts.join(' · ').toWellFormed(), rowTextMax)
}

// Maximum number of rows that are searched for the header.
const headerRowsMax = 20

// Maximum number of cells that are compared. Enough to recognize a wider header.
const cellsMax = 1000

/**
 * Returns the index of the header among the first non-empty rows of a table. Chooses the row with the most
 * field titles if it has at least two. Otherwise, chooses the first row that consists mostly of words and is
 * at least half as wide as the widest row, or else the first row.
 */
export function findHeader(rows: Cell[][]): number {
  const texts = rows
    .slice(0, headerRowsMax)
    .map((cells) => cells.slice(0, cellsMax).map((cell) => cleanTitle(displayText(cell))))
  if (texts[0] !== undefined && rejectedTitles.every((title, index) => texts[0]![index] === title)) return 0
  const known = texts.map(countKnown)
  const most = Math.max(0, ...known)
  if (most >= 2) return known.indexOf(most)
  const widths = texts.map((cells) => cells.filter((text) => text !== '').length)
  const wide = Math.max(2, Math.max(0, ...widths) / 2)
  return Math.max(
    0,
    texts.findIndex((cells, index) => widths[index]! >= wide && isWords(cells)),
  )
}

/** Returns the number of distinct fields that the texts name. */
export const countKnown = (texts: string[]) =>
  new Set(texts.flatMap((text) => (text.length > 100 ? [] : (fieldOfTitle(text) ?? [])))).size

function isWords(texts: string[]): boolean {
  const filled = texts.filter((text) => text !== '')
  return filled.filter((text) => /\p{L}{2}/u.test(text)).length > filled.length / 2
}

const titleMaxLength = 200

/** Trims a title, and removes invisible characters and line breaks. */
export const cleanTitle = (text: string) =>
  ellipsize(
    text
      .slice(0, 2 * titleMaxLength)
      .replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
      .replaceAll(/[\s\0]+/g, ' ')
      .trim()
      .toWellFormed(),
    titleMaxLength,
  )

/** A column, its index (from 0) in the rows, and its unique title. */
export interface NamedColumn {
  index: number
  title: string
  /** Set if the header contains no title for the column. */
  isUntitled?: true
}

/**
 * Names the columns that have a title or content. Numbers repeated titles (`Date (2)`), and names untitled
 * columns by their letter (`Column D`).
 */
export function nameColumns(titles: string[], withContent: Iterable<number>): NamedColumn[] {
  const clean = titles.map(cleanTitle)
  const isTitled = (index: number) => (clean[index] ?? '') !== ''
  const indexes = new Set([...clean.keys()].filter(isTitled).concat([...withContent]))
  const usedTitles = new Set(clean)
  const named = new Set<string>()
  return [...indexes]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const isUntitled = !isTitled(index)
      const title = isUntitled ? `Column ${columnName(index)}` : clean[index]!
      const isNew = !named.has(title) && !(isUntitled && usedTitles.has(title))
      const unique = isNew ? title : numbered(title, usedTitles)
      usedTitles.add(unique)
      named.add(unique)
      return { index, title: unique, ...(isUntitled && { isUntitled }) }
    })
}

function numbered(title: string, usedTitles: ReadonlySet<string>): string {
  let number = 2
  while (usedTitles.has(`${title} (${number})`)) number++
  return `${title} (${number})`
}

/**
 * Returns the header combined with the group titles in the row above. A group title is above the first column
 * of its group.
 */
function belowGroups(above: TableRow | undefined, header: TableRow): TableRow {
  if (above?.line !== header.line - 1) return header
  let group = ''
  const groups = header.cells.map((_, at) => (group = displayText(above.cells[at] ?? '').trim() || group))
  return new Set(groups).size > 1 ? { ...header, cells: nameTitles(groups, header.cells) } : header
}

/**
 * Returns titles. A title is prefixed with its group title if it repeats, or if only both together name a
 * field.
 */
export function nameTitles(groups: readonly (string | undefined)[], cells: Cell[]): Cell[] {
  const titles = cells.map((cell) => displayText(cell).trim())
  const joined = titles.map((title, at) => (title !== '' && groups[at] ? `${groups[at]} ${title}` : title))
  const isField = (title: string) => fieldOfTitle(title) !== undefined
  if (countKnown(joined) === 0) return cells
  return cells.map((cell, at) => {
    const title = titles[at]!
    const isRepeated = titles.indexOf(title) !== titles.lastIndexOf(title)
    const needsGroup = isField(title) ? isRepeated : isRepeated || isField(joined[at]!)
    return needsGroup ? joined[at]! : cell
  })
}

/**
 * Prefixes titles with the titles of merged cells above them, such as “Permit” above “Submitted” and
 * “Received”.
 */
export class TitleGroups {
  readonly #ranges: Map<number, CellRange[]>
  /** Group titles in the previous row, by column. */
  #above = { row: 0, groups: [] as string[] }
  #rows = 0

  /** `wide` are the merged cells within a row of the sheet. */
  constructor(wide: CellRange[]) {
    this.#ranges = Map.groupBy(wide, ({ top }) => top)
  }

  /** Returns the cells of the next row, prefixed with group titles where needed. */
  name(row: number, cells: Cell[]): Cell[] {
    if (this.#ranges.size === 0 || ++this.#rows > headerRowsMax) return cells
    const named = this.#above.row === row - 1 ? nameTitles(this.#above.groups, cells) : cells
    const groups: string[] = []
    for (const { left, right } of this.#ranges.get(row) ?? [])
      for (let column = left; column <= right; column++)
        groups[column] = displayText(cells[left] ?? '').trim()
    this.#above = { row, groups }
    return named
  }
}
