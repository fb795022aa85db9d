import { posix } from 'node:path'
import { FirstRows, chooseSheet } from './choose-sheet.ts'
import { type NumberFormat, numberFormat } from './number-format.ts'
import type { Parts } from './read-parts.ts'
import type { ReadSheet, RowSink } from './sheet-source.ts'
import { type SharedTexts, isOn, readRows } from './xlsx-rows.ts'
import { unescapeText } from './xlsx.ts'

const sharedMaxBytes = 64 * 1024 * 1024
const sheetsMax = 200

// Maximum number of cell formats. ECMA-376 part 1, 18.8.45, allows 65,490.
const stylesMax = 65_536

// States of hidden sheets (ECMA-376 part 1, 18.18.68). LibreOffice and openpyxl write `visible` for other
// sheets, and Excel omits the state.
const hiddenStates: ReadonlySet<string> = new Set(['hidden', 'veryHidden'])

/**
 * Adds the rows of a sheet of an XLSX file: the sheet with this name, or else the one that most looks like a
 * table of deals.
 * @throws UnreadableFileError
 */
export async function readXlsx(parts: Parts, rows: RowSink, name: string | null): Promise<ReadSheet> {
  const book = await readBook(parts)
  const shared = await readShared(parts, book.shared)
  const { formats, struck } =
    book.styles === null ? { formats: [], struck: new Set<number>() } : await readStyles(parts, book.styles)
  const { isUncomputed, is1904 } = book
  const { sheets, index } = await chooseSheet(
    book.sheets.map((sheet) => sheet.name),
    name,
    async (at) => {
      const first = new FirstRows(formats)
      const { path } = book.sheets[at]!
      if (parts.has(path))
        await readRows(parts, { path, shared, struck, targets: new Map(), isUncomputed }, first)
      return first.cells
    },
  )
  const { path } = book.sheets[index]!
  const relations = await readRelations(parts, path)
  const targets = new Map([...relations].map(([id, { external }]) => [id, external]))
  const found = await readRows(parts, { path, shared, struck, targets, isUncomputed }, rows)
  return { sheets, formats, is1904, ...found }
}

/** The parts of a workbook. */
interface Book {
  sheets: { name: string; path: string }[]
  shared: string | null
  styles: string | null
  is1904: boolean
  /** True if formulas are recomputed on open, so that stored values may be outdated. */
  isUncomputed: boolean
}

interface Relation {
  type: string
  /** The path of a part in the file. */
  target: string
  /** The target as written, such as a URL. */
  external: string
}

async function readBook(parts: Parts): Promise<Book> {
  const path = await findBook(parts)
  const relations = await readRelations(parts, path)
  const sheets: Book['sheets'] = []
  const flags = { is1904: false, isUncomputed: false }
  let count = 0
  await parts.parse(path, {
    open(name, attributes) {
      if (name === 'workbookPr') flags.is1904 = isOn(attributes['date1904'])
      if (name === 'calcPr') flags.isUncomputed = isOn(attributes['fullCalcOnLoad'])
      if (name !== 'sheet') return
      count++
      if (hiddenStates.has(attributes['state'] ?? '') || sheets.length >= sheetsMax) return
      const { type, target = `xl/worksheets/sheet${count}.xml` } = relations.get(idOf(attributes)) ?? {}
      // Sheets of other types, such as charts, are skipped.
      if (type === undefined || type === 'worksheet')
        sheets.push({ name: attributes['name'] ?? '', path: target })
    },
  })
  const pathOf = (wantedType: string, usual: string) => {
    const named = [...relations.values()].find(({ type }) => type === wantedType)?.target ?? usual
    return parts.has(named) ? named : null
  }
  return {
    sheets,
    shared: pathOf('sharedStrings', 'xl/sharedStrings.xml'),
    styles: pathOf('styles', 'xl/styles.xml'),
    ...flags,
  }
}

/** Returns the relationship id of a sheet, regardless of the namespace prefix. */
function idOf(attributes: Record<string, string>): string {
  const name = Object.keys(attributes).find((each) => each.endsWith(':id'))
  return name === undefined ? '' : attributes[name]!
}

/** Returns the path of the workbook part. Excel may also name it `xl/workbook2.xml`. */
async function findBook(parts: Parts): Promise<string> {
  const usual = 'xl/workbook.xml'
  if (parts.has(usual)) return usual
  const main = [...(await readRelations(parts, '')).values()].find(({ type }) => type === 'officeDocument')
  return main?.target ?? usual
}

/** Returns the relationships of a part by id, or of the whole file if `path` is empty. */
async function readRelations(parts: Parts, path: string): Promise<Map<string, Relation>> {
  const { dir, base } = posix.parse(path)
  const relations = new Map<string, Relation>()
  const part = posix.join(dir, '_rels', `${base}.rels`)
  if (!parts.has(part)) return relations
  await parts.parse(part, {
    open(name, { Id, Type = '', Target }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined) return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(dir, Target)
      const type = Type.slice(Type.lastIndexOf('/') + 1) || 'worksheet'
      relations.set(Id, { type, target, external: Target })
    },
  })
  return relations
}

/** Returns the shared strings that cells refer to. */
async function readShared(parts: Parts, path: string | null): Promise<SharedTexts> {
  const texts: string[] = []
  const struck = new Set<number>()
  let text = ''
  if (path !== null)
    await parts.parse(
      path,
      {
        open(name, { val = '1' }) {
          if (name === 'strike' && isOn(val)) struck.add(texts.length)
        },
        close(name, inner) {
          if (name === 't') text += inner
          if (name !== 'si') return
          texts.push(unescapeText(text))
          text = ''
        },
      },
      { maxBytes: sharedMaxBytes },
    )
  return { texts, struck }
}

/** Returns the number formats of the cell styles in order, and the styles for struck-through text. */
async function readStyles(
  parts: Parts,
  path: string,
): Promise<{ formats: NumberFormat[]; struck: ReadonlySet<number> }> {
  const formats: NumberFormat[] = []
  const struck = new Set<number>()
  const fonts: boolean[] = []
  const codes = new Map<string, string>()
  const known = new Map<string, NumberFormat>()
  const formatOf = (id: string) => {
    const found = known.get(id) ?? numberFormat(Number(id), codes.get(id))
    known.set(id, found)
    return found
  }
  let isInCells = false
  await parts.parse(path, {
    open(name, { numFmtId = '', formatCode = '', fontId, val = '1' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      if (name === 'font') fonts.push(false)
      if (name === 'strike' && isOn(val) && fonts.length > 0) fonts[fonts.length - 1] = true
      if (name === 'cellXfs') isInCells = true
      if (name !== 'xf' || !isInCells || formats.length >= stylesMax) return
      if (fonts[Number(fontId)]) struck.add(formats.length)
      formats.push(formatOf(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return { formats, struck }
}
