import { type Cell, displayText } from '../records/cell.ts'
import { countKnown, headerRowsMax } from './header-row.ts'
import { fieldOfTitle } from './title-fields.ts'
import type { CellRange } from './xlsx.ts'

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
