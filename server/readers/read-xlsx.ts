import { posix } from 'node:path'
import { UnreadableFileError, chooseSheet, uncomputed } from '../deals/import/record-source.ts'
import { type NumberFormat, isoDateOf, numberFormat } from './number-format.ts'
import type { Parts } from './read-parts.ts'
import {
  type StoredCell,
  type ReadSheet,
  type SheetRows,
  requireColumn,
  requireFewTall,
} from './sheet-source.ts'
import { type TallCell, columnIndex, tallCell, unescapeText } from './xlsx.ts'

const sharedMaxBytes = 64 * 1024 * 1024
const sheetsMax = 200

// ECMA-376 part 1, 18.8.45: at most 65,490 cell formats.
const stylesMax = 65_536

// ECMA-376 part 1, 18.18.68; the third state, `visible`, is written by LibreOffice and openpyxl and left out by Excel.
const hiddenStates: ReadonlySet<string> = new Set(['hidden', 'veryHidden'])

/**
 * Adds the rows of a sheet of an XLSX file: the named one, or else the first visible one.
 * @throws UnreadableFileError
 */
export async function readXlsx(parts: Parts, rows: SheetRows, name: string | null): Promise<ReadSheet> {
  const book = await readBook(parts, name)
  const shared = book.shared === null ? [] : await readShared(parts, book.shared)
  const formats = book.styles === null ? [] : await readFormats(parts, book.styles)
  const tall = await readRows(parts, book, rows, { shared, formats })
  return { sheets: book.sheets, formats, is1904: book.is1904, tall }
}

/** The paths of a workbook's parts. */
interface Book {
  sheets: ReadSheet['sheets']
  sheet: string
  shared: string | null
  styles: string | null
  is1904: boolean
  /** Whether formulas are recomputed on open, so that stored values may be stale. */
  isUncomputed: boolean
}

interface Relation {
  type: string
  target: string
}

const isOn = (flag: string | undefined) => flag === '1' || flag === 'true'

async function readBook(parts: Parts, wanted: string | null): Promise<Book> {
  const path = await findBook(parts)
  const relations = await readRelations(parts, path)
  const found: { name: string; relation: Relation | undefined }[] = []
  const flags = { is1904: false, isUncomputed: false }
  await parts.parse(path, {
    open(name, attributes) {
      if (name === 'workbookPr') flags.is1904 = isOn(attributes['date1904'])
      if (name === 'calcPr') flags.isUncomputed = isOn(attributes['fullCalcOnLoad'])
      if (name !== 'sheet' || hiddenStates.has(attributes['state'] ?? '') || found.length >= sheetsMax) return
      const relation = relations.get(idOf(attributes))
      // A sheet may also be a chart.
      if (relation === undefined || relation.type === 'worksheet')
        found.push({ name: attributes['name'] ?? '', relation })
    },
  })
  const { chosen, index, all } = chooseSheet(
    found.map(({ name }) => name),
    wanted,
  )
  const pathOf = (wantedType: string, usual: string) => {
    const named = [...relations.values()].find(({ type }) => type === wantedType)?.target ?? usual
    return parts.has(named) ? named : null
  }
  return {
    sheets: { chosen, all },
    sheet: found[index]!.relation?.target ?? 'xl/worksheets/sheet1.xml',
    shared: pathOf('sharedStrings', 'xl/sharedStrings.xml'),
    styles: pathOf('styles', 'xl/styles.xml'),
    ...flags,
  }
}

/** Returns the relation id of a sheet, whatever its namespace prefix. */
function idOf(attributes: Record<string, string>): string {
  const name = Object.keys(attributes).find((each) => each.endsWith(':id'))
  return name === undefined ? '' : attributes[name]!
}

/** Returns the path of the workbook: Excel also writes `xl/workbook2.xml`. */
async function findBook(parts: Parts): Promise<string> {
  const usual = 'xl/workbook.xml'
  if (parts.has(usual)) return usual
  const main = [...(await readRelations(parts, '')).values()].find(({ type }) => type === 'officeDocument')
  return main?.target ?? usual
}

/** Returns a part's relations by id; the file's own for an empty path. */
async function readRelations(parts: Parts, path: string): Promise<Map<string, Relation>> {
  const { dir, base } = posix.parse(path)
  const relations = new Map<string, Relation>()
  const part = posix.join(dir, '_rels', `${base}.rels`)
  if (!parts.has(part)) return relations
  await parts.parse(part, {
    open(name, { Id, Type = '', Target }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined) return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target)
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1) || 'worksheet', target })
    },
  })
  return relations
}

/** Returns the texts that cells refer to. */
async function readShared(parts: Parts, path: string): Promise<string[]> {
  const shared: string[] = []
  let text = ''
  let isPhonetic = false
  await parts.parse(
    path,
    {
      open(name) {
        if (name === 'rPh') isPhonetic = true
      },
      close(name, inner) {
        if (name === 'rPh') isPhonetic = false
        else if (name === 't' && !isPhonetic) text += inner
        else if (name === 'si') {
          shared.push(unescapeText(text))
          text = ''
        }
      },
    },
    { maxBytes: sharedMaxBytes },
  )
  return shared
}

/** Returns the number formats of the cell styles, in their order. */
async function readFormats(parts: Parts, path: string): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = []
  const codes = new Map<string, string>()
  const known = new Map<string, NumberFormat>()
  const formatOf = (id: string) => {
    const found = known.get(id) ?? numberFormat(Number(id), codes.get(id))
    known.set(id, found)
    return found
  }
  let isInCells = false
  await parts.parse(path, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      if (name === 'cellXfs') isInCells = true
      if (name === 'xf' && isInCells && formats.length < stylesMax) formats.push(formatOf(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return formats
}

interface Stored {
  shared: string[]
  formats: NumberFormat[]
}

/** The row of a sheet being read. */
class Row {
  cells: StoredCell[] = []
  number = 0
  isHidden = false
  #column = -1
  #type = 'n'
  #style = 0
  #text = ''
  #value: string | null = null
  #isFormula = false
  #isPhonetic = false

  begin(number: number, isHidden: boolean): void {
    this.cells = []
    this.number = number
    this.isHidden = isHidden
    this.#column = -1
  }

  /** Begins a cell; without a reference, it is the next one. */
  beginCell(reference: string | undefined, type = 'n', style = '0'): void {
    const column = reference === undefined ? this.#column + 1 : columnIndex(reference)
    this.#column = requireColumn(column, reference ?? `row ${this.number}`)
    this.#type = type
    this.#style = Number(style)
    this.#text = ''
    this.#value = null
    this.#isFormula = false
  }

  beginPhonetic(): void {
    this.#isPhonetic = true
  }

  /** Ends an element within a cell. */
  endInner(name: string, text: string): void {
    if (name === 'rPh') this.#isPhonetic = false
    else if (name === 't' && !this.#isPhonetic) this.#text += text
    else if (name === 'v') this.#value = text
    else if (name === 'f') this.#isFormula = true
  }

  endCell(stored: Stored, isUncomputed: boolean): void {
    while (this.cells.length <= this.#column) this.cells.push('')
    const hasNoResult = this.#isFormula && isWithoutResult(this.#value, this.#type, isUncomputed)
    this.cells[this.#column] = hasNoResult ? uncomputed : this.#read(stored)
  }

  #read({ shared, formats }: Stored): StoredCell {
    const value = this.#value ?? ''
    switch (this.#type) {
      case 's':
        return shared[Number(value)] ?? ''
      case 'inlineStr':
        return unescapeText(this.#text)
      case 'b':
        return value === '' ? '' : String(value === '1').toUpperCase()
      case 'n':
        return value === '' || formats[this.#style] === undefined ? value : [value, this.#style]
      case 'd':
        return isoDateOf(value) ?? value
      case 'e':
        return { value, shown: value, problem: `is the error ${value}` }
      default:
        return unescapeText(value)
    }
  }
}

/**
 * Returns whether a formula has no stored result. openpyxl stores none; XlsxWriter stores 0 and requests
 * recalculation on open (https://xlsxwriter.readthedocs.io/working_with_formulas.html).
 */
const isWithoutResult = (value: string | null, type: string, isUncomputed: boolean) =>
  value === null || (value === '' && type !== 'str') || (isUncomputed && value === '0' && type === 'n')

/** Adds the rows of a sheet. Returns its merged cells that span several rows. */
async function readRows(
  parts: Parts,
  { sheet, isUncomputed }: Book,
  rows: SheetRows,
  stored: Stored,
): Promise<TallCell[]> {
  const row = new Row()
  const tall: TallCell[] = []
  await parts.parse(
    sheet,
    {
      open(name, { r, t, s, hidden, ref = '' }) {
        if (name === 'c') row.beginCell(r, t, s)
        else if (name === 'row') {
          const number = r === undefined ? row.number + 1 : Number(r)
          if (!(number > 0)) throw new UnreadableFileError(`the sheet has a row with the number ${r}`)
          row.begin(number, isOn(hidden))
        } else if (name === 'rPh') row.beginPhonetic()
        else if (name === 'mergeCell') {
          const cell = tallCell(ref)
          if (cell !== null) tall.push(cell)
          requireFewTall(tall)
        }
      },
      close(name, text) {
        if (name === 'c') row.endCell(stored, isUncomputed)
        else if (name === 'row') rows.add({ ...row, count: 1 })
        else row.endInner(name, text)
      },
    },
    { settle: rows.settle },
  )
  return tall
}
