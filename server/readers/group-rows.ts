import { valueKindOf } from '../deals/deal.ts'
import { displayText } from '../records/record-source.ts'
import { trimmed, isPlaceholder } from '../values/clean.ts'
import type { TableRow } from './file-source.ts'
import { type SkippedKind, isFigure, isTotalText } from './skipped-rows.ts'
import { fieldOfTitle } from './title-fields.ts'

// Some reports group deals. Their stage is in a heading above them, such as `Stage: Permit (12 records)`, or
// only in the first row of each group, as in a pivot table or in merged cells saved as CSV.

/** The title of the column added for groups whose headings do not name a field. */
const groupTitle = 'Group'

const filledDown = ' (filled down)'

/** Returns the title of a column whose values also apply to the empty cells below them. */
export const filledTitleOf = (title: string) => `${title}${filledDown}`

/** Returns whether a column was added for the names of groups. */
export const isOfGroups = (title: string) => title === groupTitle || title.endsWith(filledDown)

/** How the groups of a table are read. */
export interface Grouping {
  /**
   * Columns whose values come from heading rows, outermost first. `key` identifies the headings of a column.
   */
  levels: { key: string; target: number; title: string }[]
  /** Columns whose values are filled down to the next value. `target` is the index of the filled column. */
  filled: { index: number; target: number; title: string }[]
  /** True if the first heading is above the titles. */
  startsAbove: boolean
}

/** Yields the header of a table, then its rows with the names of their groups as additional cells. */
export async function* groupedRows(
  rows: AsyncIterable<TableRow>,
  { levels, filled, startsAbove }: Grouping,
  isDeal: (row: TableRow) => boolean,
): AsyncGenerator<TableRow> {
  const names = levels.map(() => '')
  const last = filled.map(() => '')
  let isHeader = true
  for await (const row of rows) {
    if (isHeader) {
      isHeader = false
      yield {
        ...row,
        cells: withCells(
          row,
          [...levels, ...filled].map(({ target, title }) => ({ target, text: title })),
        ),
      }
      const first = startsAbove ? headingAbove(row.above) : null
      if (first !== null)
        names[
          Math.max(
            0,
            levels.findIndex(({ key }) => key === keyOf(first)),
          )
        ] = first.value
      continue
    }
    if (!isDeal(row)) {
      const heading = headingOf(row)
      const at = heading === null ? -1 : levels.findIndex(({ key }) => key === keyOf(heading))
      if (at >= 0) names.fill('', at).splice(at, 1, heading!.value)
      yield at < 0 ? row : { ...row, isGroup: true }
      continue
    }
    for (const [at, { index }] of filled.entries()) {
      const text = textAt(row.cells, index)
      if (text !== '') last.fill('', at).splice(at, 1, withoutCount(text))
    }
    const added = [
      ...levels.map(({ target }, at) => ({ target, text: names[at]! })),
      ...filled.map(({ target }, at) => ({ target, text: last[at]! })),
    ]
    yield { ...row, cells: withCells(row, added) }
  }
}

function withCells({ cells }: TableRow, added: { target: number; text: string }[]): TableRow['cells'] {
  const filled = [...cells]
  for (const { target, text } of added) {
    while (filled.length < target) filled.push('')
    filled[target] = text
  }
  return filled
}

/** Detects how the rows of a table are grouped. */
export class GroupFinder {
  readonly #titles: string[]
  readonly #leading: SparseColumn[]
  readonly #stage: SparseColumn | null
  readonly #headings = new Map<string, Heading & { count: number; values: Set<string> }>()
  readonly #first: string | undefined
  #pending: Heading[] = []
  #deals = 0
  #above = 0
  #totals = 0
  #isBelowTitles = false
  #contentAt = new Set<number>()

  /** `above` is the text of the row above the titles, if the row contains nothing else. */
  constructor(titles: string[], idIndex: number, above: string | undefined) {
    this.#first = above
    this.#titles = titles
    const leading = titles.slice(0, leadingMax)
    const end = leading.findIndex((title, index) => index === idIndex || !canGroup(title))
    this.#leading = leading.slice(0, end < 0 ? leading.length : end).map((_, index) => sparse(index))
    const stage = titles.findIndex((title) => fieldOfTitle(title) === 'stage')
    this.#stage = stage >= this.#leading.length && stage !== idIndex ? sparse(stage) : null
  }

  /** Adds a row. `kind` is null for a possible deal, otherwise the reason why the row is not a deal. */
  add(row: TableRow, kind: SkippedKind | null): void {
    if (kind === null) this.#addDeal(row)
    else if (kind === 'titles') {
      if (this.#pending.length > 0) this.#isBelowTitles = true
    } else if (kind !== 'rule') {
      const heading = headingOf(row)
      if (heading !== null) this.#pending.push(heading)
      else if (kind === 'total') this.#totals++
    }
  }

  #addDeal({ cells }: TableRow): void {
    if (this.#deals++ === 0 && this.#pending.length === 0) this.#above++
    for (const heading of this.#pending) {
      const known = this.#headings.get(keyOf(heading))
      if (known === undefined)
        this.#headings.set(keyOf(heading), { ...heading, count: 1, values: new Set([heading.value]) })
      else {
        known.count++
        known.hasCount &&= heading.hasCount
        known.values.add(heading.value)
      }
    }
    this.#pending = []
    for (const { index } of this.#headings.values())
      if (textAt(cells, index) !== '') this.#contentAt.add(index)
    let isNew = false
    for (const column of this.#leading) {
      isNew = addTo(column, textAt(cells, column.index), isNew)
      if (!column.isPossible) {
        this.#leading.splice(this.#leading.indexOf(column))
        break
      }
    }
    if (this.#stage?.isPossible) addTo(this.#stage, textAt(cells, this.#stage.index), false)
  }

  /** Returns how the rows are grouped, or null if they are not. */
  end(): Grouping | null {
    let next = this.#titles.length
    const levels = [...this.#headings].flatMap(([key, heading]) => {
      const isNamed = heading.label !== null || heading.hasCount
      if (!isNamed && !this.#areAllBelow(heading)) return []
      const { target, title } = this.#targetOf(heading)
      return [{ key, target: target ?? next++, title }]
    })
    const columns: SparseColumn[] = []
    for (const column of this.#leading)
      if (this.#isFilled(column, false) || (columns.length > 0 && column.empty > 0)) columns.push(column)
    if (this.#stage !== null && this.#isFilled(this.#stage, true)) columns.push(this.#stage)
    const filled = columns
      .filter(({ index }) => !levels.some(({ target }) => target === index))
      .map(({ index }) => ({ index, target: next++, title: filledTitleOf(this.#titles[index]!) }))
    if (levels.length + filled.length === 0) return null
    return { levels, filled, startsAbove: this.#startsAbove }
  }

  /**
   * Returns whether all deals are below distinct headings of this kind, which then need no label or count.
   */
  #areAllBelow({ values, count }: { values: ReadonlySet<string>; count: number }): boolean {
    const isStated = this.#startsAbove
    const all = isStated ? new Set([...values, withoutCount(this.#first!)]) : values
    return (this.#above === 0 || isStated) && all.size > 1 && all.size === count + Number(isStated)
  }

  get #startsAbove(): boolean {
    const first = headingAbove(this.#first)
    if (first === null || this.#above === 0) return false
    return this.#isBelowTitles || (first.label !== null && this.#headings.has(keyOf(first)))
  }

  /** Returns the column for a heading: one that is empty in all deals, or a new one. */
  #targetOf({ label, index }: Heading): { target: number | null; title: string } {
    if (label === null) {
      const title = this.#titles[index] ?? ''
      const isEmpty = title !== '' && canGroup(title) && !this.#contentAt.has(index)
      return { target: isEmpty ? index : null, title: isEmpty ? title : groupTitle }
    }
    return { target: null, title: label }
  }

  #isFilled({ isPossible, filled, empty, counted: count }: SparseColumn, isProofNeeded: boolean): boolean {
    if (!isPossible || filled === 0 || empty === 0) return false
    if (count === filled || (this.#totals > 0 && this.#totals >= filled - 1)) return true
    return !isProofNeeded && empty >= Math.max(filled, 2)
  }
}

const leadingMax = 3
const distinctMax = 50

interface SparseColumn {
  index: number
  values: Set<string>
  filled: number
  empty: number
  counted: number
  isPossible: boolean
}

const sparse = (index: number): SparseColumn => ({
  index,
  values: new Set(),
  filled: 0,
  empty: 0,
  counted: 0,
  isPossible: true,
})

/**
 * Adds a cell to a column. `isNewAbove` means that an outer group begins. Returns whether a group begins
 * here.
 */
function addTo(column: SparseColumn, text: string, isNewAbove: boolean): boolean {
  if (isNewAbove) column.values.clear()
  if (text === '') {
    column.empty++
    if (isNewAbove || column.filled === 0) column.isPossible = false
    return false
  }
  const isUsual = column.filled >= distinctMax && column.empty === 0
  if (column.values.has(text) || isUsual) column.isPossible = false
  column.values.add(text)
  column.filled++
  if (withoutCount(text) !== text) column.counted++
  return true
}

/** A row with the name of the group of the rows below it. */
interface Heading {
  index: number
  /** The title in the heading: `Stage` in `Stage: Permit`. */
  label: string | null
  /** The name of the group, or empty for a placeholder. */
  value: string
  hasCount: boolean
}

const labelled = /^([^:]+):(.*)$/
const labelMaxLength = 40
const counted =
  /(?:[([]\s*(?:count[:=]? ?)?\d[\d,]*(?: [a-z]+)?\s*[)\]]|[-–—:]\s*\d[\d,]* (?:records?|deals?|items?|projects?|rows?|opportunities|jobs?|customers?))$/i
const headingMaxLength = 80

function headingOf({ cells }: TableRow): Heading | null {
  const filled = cells.flatMap((cell, index) => {
    const text = trimmed(displayText(cell))
    return text === '' || isFigure(text) ? [] : [{ index, text }]
  })
  const [{ index, text } = { index: 0, text: '' }, ...others] = filled
  if (text === '' || others.length > 0 || text.length > headingMaxLength || isTotalText(text)) return null
  const bare = withoutCount(text)
  const hasCount = bare !== text
  const [label = '', value = ''] = labelled.exec(bare)?.slice(1).map(trimmed) ?? []
  const isLabel = value !== '' && label.length <= labelMaxLength && fieldOfTitle(label) !== undefined
  if (isLabel && !canGroup(label)) return null
  const name = isLabel ? value : bare
  return { index, label: isLabel ? label : null, value: isPlaceholder(name) ? '' : name, hasCount }
}

/** Returns the heading in a row above the titles that contains a single text, or null. */
const headingAbove = (text: string | undefined) =>
  text === undefined ? null : headingOf({ line: 0, cells: [text] })

/** Returns the text of a heading without the number of deals. */
const withoutCount = (text: string) => text.replace(counted, '').trimEnd()

const keyOf = ({ label, index }: Heading) => label?.toLowerCase() ?? `column ${index}`

const notGroups = new Set('notes inspectionNotes adders streetAddress primaryPhone coordinates'.split(' '))

/** Returns whether the column with this title may group the deals. */
function canGroup(title: string): boolean {
  const field = fieldOfTitle(title)
  if (field === undefined) return title !== ''
  const kind = valueKindOf(field)
  return !notGroups.has(field) && (kind === 'text' || kind === null)
}

const textAt = (cells: TableRow['cells'], index: number) => trimmed(displayText(cells[index] ?? ''))
