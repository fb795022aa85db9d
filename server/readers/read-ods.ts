import { type VisibleCell, uncomputed } from '../records/record-source.ts'
import { FirstRows, chooseSheet, sampledMax } from './choose-sheet.ts'
import { isoDateOf, percentOf, roundedCell, writtenNumber } from './number-format.ts'
import type { Handlers, Parts } from './read-parts.ts'
import {
  type ReadSheet,
  type RowSink,
  type StoredCell,
  type StoredSheetRow,
  addFormulaLinks,
  columnsMax,
  emptyRow,
  hasContent,
  requireFew,
} from './sheet-source.ts'
import { addressOf, isLinkFormula, isTotalFormula, type CellRange, type TallCell } from './xlsx.ts'

// The part with the cells (OpenDocument 1.3 part 3, chapters 6 and 9).
const content = 'content.xml'

const isStrike = (name: string, { 'style:text-line-through-style': line = 'none' }: Record<string, string>) =>
  name === 'text-properties' && line !== 'none'

/**
 * Adds the rows of a sheet of an ODS file: the sheet with this name, or else the one that most looks like a
 * table of deals.
 * @throws UnreadableFileError
 */
export async function readOds(parts: Parts, rows: RowSink, name: string | null): Promise<ReadSheet> {
  const { sheets: visible, struck } = await readSheets(parts)
  const { sheets } = await chooseSheet(
    visible.map((sheet) => sheet.name),
    name,
    (index) => Promise.resolve(visible[index]!.first.cells),
  )
  const sheet = new SheetReader(sheets.chosen, rows, struck)
  await parts.parse(content, sheet, { settle: rows.settle })
  const { tall, wide, hiddenColumns } = sheet
  return { sheets, formats: [], is1904: false, tall, wide, links: [], hiddenColumns }
}

/** Returns the names and first rows of the visible sheets, and the styles for struck-through text. */
async function readSheets(parts: Parts) {
  const hiddenStyles = new Set<string>()
  const struck = new Set<string>()
  const sheets: { name: string; first: FirstRows }[] = []
  let style = ''
  let depth = 0
  let reader: SheetReader | null = null
  const readerOf = () =>
    sheets.length <= sampledMax && sheets.at(-1)?.first.isFull === false ? reader : null
  await parts.parse(content, {
    open(name, attributes) {
      if (name === 'style') style = attributes['style:name'] ?? ''
      if (isStrike(name, attributes)) struck.add(style)
      if (name === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style)
      if (name === 'table' && depth++ === 0) {
        const sheet = { name: attributes['table:name'] ?? '', first: new FirstRows([]) }
        const isVisible = !hiddenStyles.has(attributes['table:style-name'] ?? '')
        if (isVisible) sheets.push(sheet)
        reader = isVisible ? new SheetReader(sheet.name, sheet.first, struck) : null
      }
      readerOf()?.open(name, attributes)
    },
    text: (text) => readerOf()?.text(text),
    close(name) {
      readerOf()?.close(name)
      if (name === 'table') depth--
    },
  })
  return { sheets, struck }
}

// Elements within a cell that are not part of its text.
const asides: ReadonlySet<string> = new Set(['annotation', 'frame', 'custom-shape', 'table'])

const countOf = (text: string | undefined) => Math.max(1, Math.floor(Number(text ?? 1)) || 1)

interface SheetCell {
  attributes: Record<string, string>
  isCovered: boolean
  text: string
  paragraphs: number
  address: string | null
}

class SheetReader implements Handlers {
  readonly tall: TallCell[] = []
  readonly wide: CellRange[] = []
  readonly hiddenColumns: number[] = []
  readonly #name: string
  readonly #rows: RowSink
  readonly #struck: ReadonlySet<string>
  #isInSheet = false
  /** Nesting depth of elements whose content is ignored. */
  #aside = 0
  #row: StoredSheetRow = emptyRow(0, 0)
  #column = 0
  /** The number of columns declared so far, and the nesting depth of hidden column groups. */
  #columns = 0
  #hiddenGroup = 0
  /** Nesting depth of row groups. */
  #rowGroup = 0
  #cell: SheetCell | null = null
  #links: { column: number; formula: string; row: number }[] = []

  constructor(name: string, rows: RowSink, struck: ReadonlySet<string>) {
    this.#name = name
    this.#rows = rows
    this.#struck = struck
  }

  open = (name: string, attributes: Record<string, string>): void => {
    if (name === 'table' && !this.#isInSheet) {
      this.#isInSheet = attributes['table:name'] === this.#name
      return
    }
    if (!this.#isInSheet) return
    if (this.#aside > 0 || (this.#cell !== null && asides.has(name))) this.#aside++
    else if (name === 'table-row') this.#beginRow(attributes)
    else if (name === 'table-row-group') this.#rowGroup++
    else if (name === 'table-cell' || name === 'covered-table-cell')
      this.#cell = {
        attributes,
        isCovered: name === 'covered-table-cell',
        text: '',
        paragraphs: 0,
        address: null,
      }
    else if (this.#cell !== null) this.#openInCell(name, attributes)
    else if (name === 'table-column') this.#addColumns(attributes)
    else if (
      name === 'table-column-group' &&
      (this.#hiddenGroup > 0 || attributes['table:display'] === 'false')
    )
      this.#hiddenGroup++
  }

  text = (text: string): void => {
    if (this.#cell !== null && this.#cell.paragraphs > 0 && this.#aside === 0)
      this.#cell.text += text.replaceAll(/[\t\r\n]+/g, ' ')
  }

  close = (name: string): void => {
    if (!this.#isInSheet) return
    if (this.#aside > 0) this.#aside--
    else if (name === 'table') this.#isInSheet = false
    else if (name === 'table-row') this.#endRow()
    else if (name === 'table-row-group') this.#rowGroup--
    else if (name === 'table-column-group') this.#hiddenGroup = Math.max(0, this.#hiddenGroup - 1)
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell()
  }

  #beginRow(attributes: Record<string, string>): void {
    const { number, count } = this.#row
    const visibility = attributes['table:visibility'] ?? 'visible'
    this.#row = {
      ...emptyRow(number + count || 1, countOf(attributes['table:number-rows-repeated'])),
      isHidden: visibility !== 'visible',
      depth: this.#rowGroup,
    }
    this.#links = []
    this.#column = 0
  }

  #endRow(): void {
    addFormulaLinks(this.#row, this.#links)
    this.#rows.add(this.#row)
  }

  #addColumns(attributes: Record<string, string>): void {
    const isHidden = this.#hiddenGroup > 0 || (attributes['table:visibility'] ?? 'visible') !== 'visible'
    const end = Math.min(this.#columns + countOf(attributes['table:number-columns-repeated']), columnsMax)
    for (; this.#columns < end; this.#columns++) if (isHidden) this.hiddenColumns.push(this.#columns)
  }

  #openInCell(name: string, attributes: Record<string, string>): void {
    const cell = this.#cell!
    if (name === 'p' && cell.paragraphs++ > 0) cell.text += '\n'
    if (name === 's') cell.text += ' '.repeat(Math.min(countOf(attributes['text:c']), 1000))
    if (name === 'tab') cell.text += '\t'
    if (name === 'line-break') cell.text += '\n'
    if (name === 'a') cell.address ??= addressOf(attributes['xlink:href'] ?? '')
    if (name === 'span' && this.#struck.has(attributes['text:style-name'] ?? '')) this.#row.isStruck = true
  }

  #endCell(): void {
    const { attributes, isCovered, text, address } = this.#cell!
    this.#cell = null
    const count = countOf(attributes['table:number-columns-repeated'])
    const value = isCovered ? '' : valueOf(attributes, text)
    const first = this.#column
    // Empty cells are repeated up to the last column of the sheet.
    this.#column += count
    if (!hasContent(value)) return
    const { number, cells, links } = this.#row
    const end = Math.min(this.#column, columnsMax)
    if (this.#struck.has(attributes['table:style-name'] ?? '')) this.#row.isStruck = true
    while (cells.length < Math.min(first, columnsMax)) cells.push('')
    for (let column = first; column < end; column++) {
      cells.push(value)
      if (address !== null) links.push([column, address])
    }
    const formula = attributes['table:formula'] ?? ''
    if (formula !== '') this.#addFormula(formula, first)
    const rows = countOf(attributes['table:number-rows-spanned'])
    if (rows > 1) this.tall.push({ column: first, top: number, bottom: number + rows - 1 })
    const width = countOf(attributes['table:number-columns-spanned'])
    if (width > 1 && rows === 1)
      this.wide.push({ left: first, right: first + width - 1, top: number, bottom: number })
    requireFew({ tall: this.tall, wide: this.wide, links: [] })
  }

  #addFormula(formula: string, column: number): void {
    if (isTotalFormula(formula)) this.#row.isTotal = true
    if (isLinkFormula(formula)) this.#links.push({ column, formula, row: this.#row.number })
  }
}

function valueOf(attributes: Record<string, string>, text: string): StoredCell {
  const type = attributes['office:value-type']
  if (attributes['calcext:value-type'] === 'error')
    return { value: text, shown: text, problem: `is the error ${text}` }
  if (type === undefined) return attributes['table:formula'] === undefined ? text : uncomputed
  const visibleCell = (value: string): VisibleCell | string =>
    text === value || text === '' || hidesDigits(text) ? value : { value, shown: text.trim() }
  const number = attributes['office:value'] ?? ''
  switch (type) {
    case 'percentage':
      return visibleCell(percentOf(number))
    case 'float':
    case 'currency':
      return roundedCell(number) ?? visibleCell(writtenNumber(number))
    case 'date': {
      const date = attributes['office:date-value'] ?? ''
      return visibleCell(isoDateOf(date) ?? date)
    }
    case 'boolean':
      return visibleCell((attributes['office:boolean-value'] ?? '').toUpperCase())
    default:
      return text
  }
}

/** Returns whether the displayed number has an exponent or was replaced by `#` for lack of space. */
const hidesDigits = (text: string) => /^-?\d(?:\.\d+)?E[+-]?\d+$|^#+$/.test(text)
