import { type Cell, displayText, columnName } from '../records/cell.ts'
import { rejectedTitles } from '../records/record-source.ts'
import { ellipsize } from '../values/short-text.ts'
import { fieldOfTitle } from './title-fields.ts'
import type { CellRange } from './xlsx.ts'

/** Maximum number of rows that are searched for the header. */
export const headerRowsMax = 20

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

/** Returns whether most texts are words. */
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
