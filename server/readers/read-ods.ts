import type { ShownCell } from '../deals/import/cell.ts'
import { chooseSheet, uncomputed } from '../deals/import/record-source.ts'
import { isoDateOf, writtenNumber } from './number-format.ts'
import type { Handlers, Parts } from './read-parts.ts'
import {
  type StoredCell,
  type ReadSheet,
  type SheetRows,
  columnsMax,
  requireColumn,
  requireFewTall,
} from './sheet-source.ts'
import type { TallCell } from './xlsx.ts'

// The parts of an OpenDocument spreadsheet that contain cells: OpenDocument 1.3 part 3, chapters 6 and 9.
const content = 'content.xml'

/**
 * Adds the rows of a sheet of an ODS file: the named one, or else the first visible one.
 * @throws UnreadableFileError
 */
export async function readOds(parts: Parts, rows: SheetRows, name: string | null): Promise<ReadSheet> {
  const { chosen, all } = chooseSheet(await readNames(parts), name)
  const sheet = new SheetReader(chosen, rows)
  await parts.parse(content, sheet, { settle: rows.settle })
  return { sheets: { chosen, all }, formats: [], is1904: false, tall: sheet.tall }
}

/** Returns the names of the sheets that are not hidden. */
async function readNames(parts: Parts): Promise<string[]> {
  const hiddenStyles = new Set<string>()
  const names: string[] = []
  let style = ''
  let depth = 0
  await parts.parse(content, {
    open(name, attributes) {
      if (name === 'style') style = attributes['style:name'] ?? ''
      if (name === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style)
      if (name === 'table' && depth++ === 0 && !hiddenStyles.has(attributes['table:style-name'] ?? ''))
        names.push(attributes['table:name'] ?? '')
    },
    close(name) {
      if (name === 'table') depth--
    },
  })
  return names
}

// Elements of a cell that are not part of its text.
const asides: ReadonlySet<string> = new Set(['annotation', 'frame', 'custom-shape', 'ruby-text', 'table'])

const countOf = (text: string | undefined) => Math.max(1, Math.floor(Number(text ?? 1)) || 1)

/** Reads the rows of one sheet. */
class SheetReader implements Handlers {
  readonly tall: TallCell[] = []
  readonly #name: string
  readonly #rows: SheetRows
  #isInSheet = false
  /** Nesting depth of elements that hide their content. */
  #aside = 0
  #row = { number: 0, count: 0, isHidden: false, cells: [] as StoredCell[] }
  #column = 0
  #cell: { attributes: Record<string, string>; isCovered: boolean; text: string; paragraphs: number } | null =
    null

  constructor(name: string, rows: SheetRows) {
    this.#name = name
    this.#rows = rows
  }

  open = (name: string, attributes: Record<string, string>): void => {
    if (name === 'table' && !this.#isInSheet) {
      this.#isInSheet = attributes['table:name'] === this.#name
      return
    }
    if (!this.#isInSheet) return
    if (this.#aside > 0 || (this.#cell !== null && asides.has(name))) this.#aside++
    else if (name === 'table-row') this.#beginRow(attributes)
    else if (name === 'table-cell' || name === 'covered-table-cell')
      this.#cell = { attributes, isCovered: name === 'covered-table-cell', text: '', paragraphs: 0 }
    else if (this.#cell !== null) this.#openInCell(name, attributes)
  }

  text = (text: string): void => {
    if (this.#cell !== null && this.#cell.paragraphs > 0 && this.#aside === 0)
      this.#cell.text += text.replaceAll(/[\t\r\n]+/g, ' ')
  }

  close = (name: string): void => {
    if (!this.#isInSheet) return
    if (this.#aside > 0) this.#aside--
    else if (name === 'table') this.#isInSheet = false
    else if (name === 'table-row') this.#rows.add(this.#row)
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell()
  }

  #beginRow(attributes: Record<string, string>): void {
    const { number, count } = this.#row
    const visibility = attributes['table:visibility'] ?? 'visible'
    this.#row = {
      number: number + count || 1,
      count: countOf(attributes['table:number-rows-repeated']),
      isHidden: visibility !== 'visible',
      cells: [],
    }
    this.#column = 0
  }

  #openInCell(name: string, attributes: Record<string, string>): void {
    const cell = this.#cell!
    if (name === 'p' && cell.paragraphs++ > 0) cell.text += '\n'
    if (name === 's') cell.text += ' '.repeat(Math.min(countOf(attributes['text:c']), 1000))
    if (name === 'tab') cell.text += '\t'
    if (name === 'line-break') cell.text += '\n'
  }

  #endCell(): void {
    const { attributes, isCovered, text } = this.#cell!
    this.#cell = null
    const value = isCovered ? '' : valueOf(attributes, text)
    const { number, cells } = this.#row
    const count = countOf(attributes['table:number-columns-repeated'])
    if (value !== '') {
      requireColumn(this.#column + count - 1, `row ${number}`)
      while (cells.length < this.#column) cells.push('')
      for (let index = 0; index < count; index++) cells.push(value)
      const rows = countOf(attributes['table:number-rows-spanned'])
      if (rows > 1) this.tall.push({ column: this.#column, top: number, bottom: number + rows - 1 })
      requireFewTall(this.tall)
    }
    // Empty cells are repeated to the last column of the sheet.
    this.#column = Math.min(this.#column + count, columnsMax)
  }
}

/** Returns a cell with these attributes and this displayed text. */
function valueOf(attributes: Record<string, string>, text: string): StoredCell {
  const type = attributes['office:value-type']
  if (attributes['calcext:value-type'] === 'error')
    return { value: text, shown: text, problem: `is the error ${text}` }
  if (type === undefined) return attributes['table:formula'] === undefined ? text : uncomputed
  const shown = (value: string): ShownCell | string =>
    text === value || text === '' || hidesDigits(text) ? value : { value, shown: text.trim() }
  switch (type) {
    case 'float':
    case 'percentage':
    case 'currency':
      return shown(writtenNumber(attributes['office:value'] ?? ''))
    case 'date': {
      const date = attributes['office:date-value'] ?? ''
      return shown(isoDateOf(date) ?? date)
    }
    case 'boolean':
      return shown((attributes['office:boolean-value'] ?? '').toUpperCase())
    default:
      return text
  }
}

/** Returns whether a number is displayed with an exponent, or not at all for lack of space. */
const hidesDigits = (text: string) => /^-?\d(?:\.\d+)?E[+-]?\d+$|^#+$/.test(text)
