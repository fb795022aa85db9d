import { UnreadableFileError, recordMaxBytes, uncomputed } from '../records/record-source.ts'
import { isoDateOf } from './number-format.ts'
import type { Parts } from './read-parts.ts'
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
import {
  addressOf,
  isLinkFormula,
  isTotalFormula,
  cellRange,
  columnIndex,
  tallCell,
  unescapeText,
} from './xlsx.ts'

/** The shared strings that cells refer to by index. */
export interface SharedTexts {
  texts: string[]
  /** Indexes of texts that are at least partly struck through. */
  struck: ReadonlySet<number>
}

/** A sheet of a workbook, and the data that its cells refer to. */
export interface XlsxSheet {
  path: string
  shared: SharedTexts
  /** The styles for struck-through text. */
  struck: ReadonlySet<number>
  /** Link targets of the sheet, by relationship id. */
  targets: ReadonlyMap<string, string>
  /** True if formulas are recomputed on open, so that stored values may be outdated. */
  isUncomputed: boolean
}

/** Returns the value of an XML boolean attribute. */
export const isOn = (flag: string | undefined) => flag === '1' || flag === 'true'

type Found = Pick<ReadSheet, 'tall' | 'wide' | 'links' | 'hiddenColumns'>

/** Adds the rows of a sheet. Returns the properties that apply to several cells. */
export async function readRows(parts: Parts, sheet: XlsxSheet, rows: RowSink): Promise<Found> {
  const row = new Row(sheet, rows)
  const found: Found = { tall: [], wide: [], links: [], hiddenColumns: [] }
  await parts.parse(
    sheet.path,
    {
      open(name, attributes) {
        const { r, t, s, si, ref = '' } = attributes
        if (name === 'c') row.beginCell(r, t, s)
        else if (name === 'f') row.beginFormula(t === 'shared' ? si : undefined)
        else if (name === 'row') row.begin(attributes)
        else if (name === 'strike' && isOn(attributes['val'] ?? '1')) row.strike()
        else if (name === 'col') found.hiddenColumns.push(...hiddenOf(attributes))
        else if (name === 'mergeCell') {
          const cell = tallCell(ref)
          if (cell !== null) found.tall.push(cell)
          const range = cellRange(ref)
          if (range !== null && range.top === range.bottom) found.wide.push(range)
        } else if (name === 'hyperlink') {
          const range = cellRange(ref)
          const address = linkOf(attributes, sheet.targets)
          if (range !== null && address !== null) found.links.push({ ...range, address })
        }
        requireFew(found)
      },
      close(name, text) {
        if (name === 'c') row.endCell()
        else if (name === 'row') row.end()
        else row.endInner(name, text)
      },
    },
    { settle: rows.settle, isDone: () => rows.isFull },
  )
  return found
}

/** Returns the columns of a `col` element if they are hidden, counted from 0. */
function hiddenOf({ min = '0', max = '0', width = '', hidden }: Record<string, string>): number[] {
  if (!isOn(hidden) && !(width !== '' && Number(width) === 0)) return []
  const [first, last] = [Math.max(1, Number(min) || 1), Math.min(Number(max) || 0, columnsMax)]
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first - 1 + index)
}

/** Returns the URL of a link element, or null for a link to a file or to a location in the workbook. */
function linkOf(attributes: Record<string, string>, targets: ReadonlyMap<string, string>): string | null {
  const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]
  const target = targets.get(id ?? '')
  if (target === undefined) return null
  const { location = '' } = attributes
  return addressOf(location === '' || target.includes('#') ? target : `${target}#${location}`)
}

// Maximum number of shared formulas. Further formulas are not read as links.
const sharedFormulasMax = 10_000

class Row {
  readonly #sheet: XlsxSheet
  readonly #rows: RowSink
  #row: StoredSheetRow = emptyRow(0)
  #column = -1
  #type = 'n'
  #style = 0
  #text = ''
  #isTextStruck = false
  #value: string | null = null
  #length = 0
  #formula: string | null = null
  #formulaId: string | undefined
  #links: { column: number; formula: string; row: number }[] = []
  readonly #shared = new Map<string, { formula: string; row: number }>()

  constructor(sheet: XlsxSheet, rows: RowSink) {
    this.#sheet = sheet
    this.#rows = rows
  }

  begin({ r, hidden, ht = '', outlineLevel = '0' }: Record<string, string>): void {
    const number = r === undefined ? this.#row.number + 1 : Number(r)
    if (!(number > 0)) throw new UnreadableFileError(`the sheet has a row with the number ${r}`)
    const isHidden = isOn(hidden) || (ht !== '' && Number(ht) === 0)
    this.#row = { ...emptyRow(number), isHidden, depth: Number(outlineLevel) || 0 }
    this.#links = []
    this.#length = 0
    this.#column = -1
  }

  end(): void {
    addFormulaLinks(this.#row, this.#links)
    this.#rows.add(this.#row)
  }

  /** Begins a cell. If there is no reference, the cell follows the previous one. */
  beginCell(reference: string | undefined, type = 'n', style = '0'): void {
    this.#column = (reference === undefined ? null : columnIndex(reference)) ?? this.#column + 1
    this.#type = type
    this.#style = Number(style) || 0
    this.#text = ''
    this.#isTextStruck = false
    this.#value = null
    this.#formula = null
  }

  beginFormula(id: string | undefined): void {
    this.#formulaId = id
  }

  /** Marks the text of the cell as at least partly struck through. */
  strike(): void {
    this.#isTextStruck = true
  }

  /** Ends an element within a cell. */
  endInner(name: string, text: string): void {
    if (name === 't') this.#text += text
    else if (name === 'v') this.#value = text
    else if (name === 'f') this.#endFormula(text)
  }

  #endFormula(text: string): void {
    this.#formula = text
    if (isTotalFormula(text)) this.#row.isTotal = true
    const id = this.#formulaId
    let found = { formula: text, row: this.#row.number }
    if (id !== undefined && text === '') found = this.#shared.get(id) ?? found
    if (!isLinkFormula(found.formula)) return
    if (id !== undefined && this.#shared.size < sharedFormulasMax) this.#shared.set(id, found)
    this.#links.push({ column: this.#column, ...found })
  }

  endCell(): void {
    const cell = this.#hasNoResult() ? uncomputed : this.#read()
    if (!hasContent(cell)) return
    if (this.#column >= columnsMax) return
    const { shared, struck } = this.#sheet
    const isStruckText = this.#isTextStruck || (this.#type === 's' && shared.struck.has(Number(this.#value)))
    if (isStruckText || struck.has(this.#style)) this.#row.isStruck = true
    const { cells } = this.#row
    this.#length += typeof cell === 'string' ? cell.length : 0
    if (this.#length > recordMaxBytes)
      throw new UnreadableFileError(`row ${this.#row.number} is longer than ${recordMaxBytes} characters`)
    while (cells.length <= this.#column) cells.push('')
    cells[this.#column] = cell
  }

  /**
   * Returns whether the cell is a formula with no stored result. openpyxl stores no result, and XlsxWriter
   * stores 0 and requests recalculation on open
   * (https://xlsxwriter.readthedocs.io/working_with_formulas.html).
   */
  #hasNoResult(): boolean {
    if (this.#formula === null || this.#type === 'str') return false
    const value = this.#value ?? ''
    return value === '' || (this.#sheet.isUncomputed && value === '0' && this.#type === 'n')
  }

  #read(): StoredCell {
    const value = this.#value ?? ''
    switch (this.#type) {
      case 's':
        return this.#sheet.shared.texts[Number(value)] ?? ''
      case 'inlineStr':
        return unescapeText(this.#value === null ? this.#text : value)
      case 'b':
        return value === '' ? '' : String(isOn(value)).toUpperCase()
      case 'n':
        return value === '' ? '' : [value, this.#style]
      case 'd':
        return isoDateOf(value) ?? value
      case 'e':
        return { value, shown: value, problem: `is the error ${value}` }
      default:
        return unescapeText(value)
    }
  }
}
