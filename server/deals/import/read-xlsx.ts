import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { posix } from 'node:path'
import { finished } from 'node:stream/promises'
import { SaxesParser } from 'saxes'
import { type Entry, type ZipFile, openPromise } from 'yauzl'
import { type Sheets, UnreadableFile, recordMaxBytes } from './record-source.ts'
import { columnIndex, dateOf, isDateFormat, unescapeText, writtenNumber } from './xlsx.ts'

// Of the parts of the file, uncompressed. A deal takes about 8 KB as XML.
export const partMaxBytes = 512 * 1024 * 1024
const sharedMaxBytes = 64 * 1024 * 1024
const partsMax = 10_000
const sheetsMax = 200

/** The most columns that are read, and the rows that a sheet can have. */
const columnsMax = 1000
const rowsMax = 1_048_576

// A cell holds 32,767 characters at most; without an end of an element in so many, it is no spreadsheet.
const silenceMax = 1024 * 1024

const depthMax = 100

// ECMA-376 part 1, 18.18.68; the third state, `visible`, is written by LibreOffice and openpyxl and left out by Excel.
const hiddenStates: ReadonlySet<string> = new Set(['hidden', 'veryHidden'])

// The same text may stand in many cells.
const rowsMaxBytes = 1024 * 1024 * 1024

/** An element that begins or ends, without the prefix of its namespace; `text` is the text directly in it. */
interface Handlers {
  open?(name: string, attributes: Record<string, string>): void
  close(name: string, text: string): void
}

/**
 * Writes a sheet of an XLSX file as CSV, a line for each row: the first one unless it is named. Returns the sheets that there
 * are. Memory does not grow with the sheet, but with its texts, which are bounded. @throws UnreadableFile
 */
export async function readXlsx(path: string, target: string, name: string | null = null): Promise<Sheets> {
  const zip = await openZip(path)
  try {
    const parts = await listParts(zip)
    const { all, ...sheet } = await findSheet(zip, parts, name)
    const shared = await readShared(zip, parts)
    const dateStyles = await readDateStyles(zip, parts)
    await writeRows(zip, part(parts, sheet.path), target, { shared, dateStyles, is1904: sheet.is1904 })
    return { chosen: sheet.name, all }
  } catch (error) {
    throw error instanceof UnreadableFile || isSystemError(error) ? error : notXlsx(error)
  } finally {
    zip.close()
  }
}

const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

const notXlsx = (error: unknown) =>
  new UnreadableFile(`not an XLSX file: ${error instanceof Error ? error.message : 'it is damaged'}`)

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
  } catch (error) {
    throw isSystemError(error) ? error : notXlsx(error)
  }
}

async function listParts(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > partsMax) throw new UnreadableFile(`the file has ${zip.entryCount} parts`)
  const parts = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry)
  return parts
}

function part(parts: Map<string, Entry>, name: string): Entry {
  const found = parts.get(name)
  if (found === undefined) throw new UnreadableFile(`not an XLSX file: it has no ${name}`)
  return found
}

/** Parses a part; `settle` waits for what its rows are written to. */
async function parse(
  zip: ZipFile,
  entry: Entry,
  handlers: Handlers,
  { maxBytes = partMaxBytes, settle }: { maxBytes?: number; settle?: () => Promise<unknown> } = {},
): Promise<void> {
  if (entry.uncompressedSize > maxBytes)
    throw new UnreadableFile(
      `its part ${entry.fileName} has ${entry.uncompressedSize} bytes; at most ${maxBytes} are read`,
    )
  const parser = new SaxesParser()
  const texts: string[] = []
  let silence = 0
  const nameOf = (name: string) => name.slice(name.indexOf(':') + 1)
  parser.on('opentag', ({ name, attributes }) => {
    silence = 0
    if (texts.push('') > depthMax) throw new UnreadableFile(`its part ${entry.fileName} is nested too deeply`)
    handlers.open?.(nameOf(name), attributes as Record<string, string>)
  })
  const addText = (text: string) => {
    if (texts.length > 0) texts[texts.length - 1] += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', ({ name }) => {
    silence = 0
    handlers.close(nameOf(name), texts.pop() ?? '')
  })
  parser.on('error', (error) => {
    throw error
  })
  const decoder = new TextDecoder()
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    silence += chunk.length
    parser.write(decoder.decode(chunk, { stream: true }))
    if (silence > silenceMax)
      throw new UnreadableFile(`its part ${entry.fileName} is no XML of a spreadsheet`)
    await settle?.()
  }
  parser.close()
}

/** Returns the sheet of the workbook with this name, or the first one, and the names of all that are not hidden. */
async function findSheet(zip: ZipFile, parts: Map<string, Entry>, wanted: string | null) {
  const sheets: { name: string; rel: string }[] = []
  let is1904 = false
  await parse(zip, part(parts, 'xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      if (name === 'sheet' && !hiddenStates.has(attributes['state'] ?? '') && sheets.length < sheetsMax)
        sheets.push({ name: attributes['name'] ?? '', rel: attributes['r:id'] ?? '' })
    },
    close() {},
  })
  if (sheets.length === 0) throw new UnreadableFile('the workbook has no visible sheet')
  const sheet = wanted === null ? sheets[0] : sheets.find(({ name }) => name === wanted)
  const all = sheets.map(({ name }) => name)
  if (sheet === undefined)
    throw new UnreadableFile(
      `the workbook has no sheet ${JSON.stringify(wanted)}; it has ${all.map((name) => JSON.stringify(name)).join(', ')}`,
    )
  const { name, rel } = sheet
  let path = 'xl/worksheets/sheet1.xml'
  await parse(zip, part(parts, 'xl/_rels/workbook.xml.rels'), {
    open(element, { Id, Target }) {
      if (element === 'Relationship' && Id === rel && Target !== undefined)
        path = Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target)
    },
    close() {},
  })
  return { name, path, is1904, all }
}

/** Returns the texts that cells refer to. */
async function readShared(zip: ZipFile, parts: Map<string, Entry>): Promise<string[]> {
  const entry = parts.get('xl/sharedStrings.xml')
  const shared: string[] = []
  if (entry === undefined) return shared
  let text = ''
  let isPhonetic = false
  await parse(
    zip,
    entry,
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

/** Returns the indexes of the cell styles that show dates. */
async function readDateStyles(zip: ZipFile, parts: Map<string, Entry>): Promise<Set<string>> {
  const dates = new Set<string>()
  const entry = parts.get('xl/styles.xml')
  if (entry === undefined) return dates
  const formats = new Map<string, string>()
  let isInCells = false
  let index = 0
  await parse(zip, entry, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') formats.set(numFmtId, formatCode)
      if (name === 'cellXfs') isInCells = true
      if (name === 'xf' && isInCells) {
        if (isDateFormat(Number(numFmtId), formats.get(numFmtId))) dates.add(String(index))
        index++
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return dates
}

interface Workbook {
  shared: string[]
  dateStyles: Set<string>
  is1904: boolean
}

/** The row of a sheet that is being read. */
class Row {
  cells: string[] = []
  #column = -1
  #type = 'n'
  #style = ''
  #text = ''
  #value = ''

  /** Begins a cell; `column` is its index, or undefined for the next one. */
  begin(reference: string | undefined, type = 'n', style = ''): void {
    const column = reference === undefined ? this.#column + 1 : columnIndex(reference)
    if (column === null || column >= columnsMax)
      throw new UnreadableFile(
        `the sheet has a cell in ${reference}, and at most ${columnsMax} columns are read`,
      )
    this.#column = column
    this.#type = type
    this.#style = style
    this.#text = ''
    this.#value = ''
  }

  addText(text: string): void {
    this.#text += text
  }

  setValue(value: string): void {
    this.#value = value
  }

  end({ shared, dateStyles, is1904 }: Workbook): void {
    while (this.cells.length <= this.#column) this.cells.push('')
    this.cells[this.#column] = this.#read(shared, dateStyles.has(this.#style), is1904)
  }

  #read(shared: string[], isDate: boolean, is1904: boolean): string {
    switch (this.#type) {
      case 's':
        return shared[Number(this.#value)] ?? ''
      case 'inlineStr':
        return unescapeText(this.#text)
      case 'b':
        return this.#value === '' ? '' : String(this.#value === '1').toUpperCase()
      case 'n':
        return (isDate ? dateOf(this.#value, is1904) : null) ?? writtenNumber(this.#value)
      default:
        return unescapeText(this.#value)
    }
  }
}

/** Writes the rows of a sheet as CSV: the line of a row is its number, unless a cell has several lines. */
async function writeRows(zip: ZipFile, entry: Entry, target: string, workbook: Workbook): Promise<void> {
  const out = createWriteStream(target, { mode: 0o600 })
  const ended = finished(out)
  ended.catch(() => {})
  let width = 0
  let lines = 0
  let bytes = 0
  let row = new Row()
  let number = 0
  const writeRow = () => {
    if (row.cells.every((cell) => cell === '')) return
    for (; lines < number - 1; lines++) out.write('\n')
    if (width === 0) width = row.cells.findLastIndex((cell) => cell !== '') + 1
    while (row.cells.length > width && row.cells.at(-1) === '') row.cells.pop()
    while (row.cells.length < width) row.cells.push('')
    const length = row.cells.reduce((sum, cell) => sum + cell.length + 3, 0)
    if (length > recordMaxBytes)
      throw new UnreadableFile(`row ${number} is longer than ${recordMaxBytes} characters`)
    if ((bytes += length) > rowsMaxBytes) throw new UnreadableFile('its rows are too long together')
    out.write(`${row.cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`)
    lines++
  }
  const handlers: Handlers = {
    open(name, { r, t, s }) {
      if (name === 'c') row.begin(r, t, s)
      if (name !== 'row') return
      row = new Row()
      number = r === undefined ? number + 1 : Number(r)
      if (!(number > 0 && number <= rowsMax))
        throw new UnreadableFile(`the sheet has a row with the number ${r}`)
    },
    close(name, text) {
      if (name === 't') row.addText(text)
      else if (name === 'v') row.setValue(text)
      else if (name === 'c') row.end(workbook)
      else if (name === 'row') writeRow()
    },
  }
  try {
    await parse(zip, entry, handlers, {
      settle: async () => out.writableNeedDrain && (await Promise.race([once(out, 'drain'), ended])),
    })
  } finally {
    out.end()
  }
  await ended
}
