import { type Cell, displayText } from '../records/cell.ts'
import { rejectedTitles } from '../records/record-source.ts'
import { fieldOfTitle } from './title-fields.ts'
import { cleanTitle } from './titles.ts'

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
