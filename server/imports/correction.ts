import type { Database } from '#db/client.ts'
import { listPartners } from '../accounts/store.ts'
import { valueKindOf } from '../deals/deal.ts'
import { ApiError, notFound } from '../errors.ts'
import { csvSource } from '../readers/csv-rows.ts'
import type { FormatChoice, Mapping } from '../readers/file-source.ts'
import { importDeals } from '../records/import-deals.ts'
import { displayText, recordTitle, type RecordSource, type Fault } from '../records/record-source.ts'
import { idOfRecord } from '../records/record.ts'
import { makeStageMatcher } from '../stages/store.ts'
import { parseJson, stringifyJson } from '../values/int64.ts'
import { readerOf } from '../values/value.ts'
import { beginCheck, createImport, receiveSlice, throwTaken } from './actions.ts'
import { leftOut } from './import-storage.ts'
import { chosenStages, cleanFileName, correctedNameOf, readSample } from './import.ts'
import type { ImportStorages } from './make-storages.ts'
import { correctableMax, correctableMaxBytes } from './policy.ts'
import type { StoredImport } from './store.ts'

/** A problem in a rejected row. */
interface RowFault extends Pick<Fault, 'field' | 'reason'> {
  line: number
}

/**
 * Returns the rejected rows of an import that can be corrected in the portal.
 * @throws ApiError 404 without any, 412 while the import is running
 */
export async function readCorrectable(
  storages: ImportStorages,
  { id, storage: name, state, undoes, mapping, dayFirst, decimal, sample }: StoredImport,
) {
  if (!['checked', 'done'].includes(state) || undoes !== null) throwTaken()
  const storage = storages.of(name)
  if (!(await storage.hasRejected(id))) throw notFound('Rejected rows')
  const { columns = [], dates, numbers } = sample === null ? {} : readSample(sample)
  const read = columns.flatMap(({ title, field }) => (field === '' ? [] : [[title, field]]))
  return readRejectedRows(() => storage.readRejected(id), {
    mapping: {
      ...(mapping === null ? {} : (JSON.parse(mapping) as Mapping)),
      ...(Object.fromEntries(read) as Mapping),
    },
    choice: {
      dayFirst: dayFirst ?? dates?.dayFirst ?? null,
      decimal: decimal ?? numbers?.decimal ?? null,
    },
    isDone: state === 'done',
  })
}

/** Returns the corrected rows and their remaining problems. */
export async function checkCorrections(
  db: Database,
  storages: ImportStorages,
  found: StoredImport,
  corrections: Correction[],
): Promise<{ rows: CorrectedRow[]; faults: RowFault[] }> {
  const rows = correctRows(await readCorrectable(storages, found), corrections)
  const lineOf = (line: number) => rows[line - 1]!.line
  const faults: RowFault[] = []
  const partners = await listPartners(db)
  const partner = partners.find(({ id }) => id === found.partnerId)
  await importDeals(
    db,
    correctedSource(rows),
    {
      ...(partner && { partner }),
      partners,
      stages: await makeStageMatcher(db, chosenStages(found)),
      clearsEmpty: clearsEmptyOf(rows, found),
      dryRun: true,
      events: false,
    },
    {
      rejected: (line, { field, reason }) => void faults.push({ line: lineOf(line), field, reason }),
      unreadable: (line, cells) =>
        void faults.push(...cells.map(({ field, reason }) => ({ line: lineOf(line), field, reason }))),
      unknown() {},
      superseded: (line, _id, last) =>
        void faults.push({
          line: lineOf(line),
          field: 'id',
          reason: `repeats on line ${lineOf(last)}; the last row is used`,
        }),
      progress() {},
    },
  )
  return { rows, faults }
}

/**
 * Returns whether empty values in corrected rows clear their fields, which depends on the original import.
 */
const clearsEmptyOf = (rows: CorrectedRow[], { clearsEmpty }: StoredImport) =>
  clearsEmpty ?? !rows.some(({ isTableRow }) => isTableRow)

/**
 * Inserts and checks an import of the rejected rows that are now valid. Returns its id.
 * @throws ApiError 400 if no row is valid
 */
export async function sendCorrections(
  context: Parameters<typeof beginCheck>[0] & { userId: number },
  storages: ImportStorages,
  found: StoredImport,
  corrections: Correction[],
): Promise<number> {
  const { db, userId } = context
  const { rows, faults } = await checkCorrections(db, storages, found, corrections)
  const wrong = new Set(faults.map(({ line }) => line))
  const file = Buffer.from(fileOf(rows.filter(({ line }) => !wrong.has(line))))
  if (file.length === 0) throw new ApiError('BAD_REQUEST', 'No row is correct')
  const { fileName, partnerId, events, stages } = found
  const upload = { sizeBytes: file.length, storage: storages.current.name }
  const values = {
    ...upload,
    fileName: cleanFileName(correctedNameOf(fileName)),
    corrects: found.id,
    stages,
    partnerId,
    events,
    userId,
    // Corrected rows are stored as JSON, but empty cells of a table must still not clear fields by default.
    clearsEmpty: clearsEmptyOf(rows, found),
  }
  const id = await db.transaction((tx) => createImport(tx, values))
  const begun = { ...upload, id, state: 'uploading' as const, receivedBytes: 0 }
  await receiveSlice(db, storages, begun, { offset: 0, bytes: file })
  await beginCheck(context, id)
  return id
}

interface RejectedCell {
  title: string
  field: string
  text: string
}

/** The value of a record, or the problems that prevented reading it. */
type ReadRow = { value: unknown } | { faults: Fault[] }

/**
 * A rejected row and its line in the imported file. A row without cells can only be corrected in the file.
 */
interface RejectedRow {
  line: number
  cells: RejectedCell[]
  /** True for a table row, false for a JSON record. */
  isTableRow: boolean
  /** True if the row was imported without its unreadable cells. */
  isImported: boolean
  /** Returns the record with these texts instead of the original ones, by column title or field. */
  read(texts: ReadonlyMap<string, string>): ReadRow
}

/**
 * Returns the first rows of a rejected-rows file, parsed like the original file. `isDone` means that all
 * other rows were imported.
 */
async function readRejectedRows(
  open: () => AsyncIterable<Uint8Array>,
  { mapping, choice, isDone }: { mapping: Mapping; choice: FormatChoice; isDone: boolean },
): Promise<RejectedRow[]> {
  const { source } = await csvSource(open).mapped!(mapping, choice)
  const rows: RejectedRow[] = []
  let bytes = 0
  for await (const { raw, size } of source.items()) {
    const line = Number(displayText(raw.cells[0] ?? ''))
    bytes += size
    // A row without a line number marks the end of a truncated file.
    if (!(line > 0) || rows.length === correctableMax || bytes > correctableMaxBytes) break
    const titles = source.titlesOf(raw)
    const cells = source.cellsOf(raw)
    const isImported = isDone && displayText(raw.cells[1] ?? '').startsWith(leftOut)
    if (titles.length === 1 && titles[0] === recordTitle)
      rows.push({ ...recordRow(line, cells[0] ?? ''), isImported })
    else
      rows.push({
        line,
        isTableRow: true,
        isImported,
        cells: titles.map((title, index) => ({
          title,
          field: Object.hasOwn(mapping, title) ? mapping[title]! : title,
          text: cells[index]!,
        })),
        read(texts) {
          const skipped = raw.cells.slice(0, raw.cells.length - cells.length)
          const changed = cells.map((cell, index) => texts.get(titles[index]!) ?? cell)
          const read = source.valueOf({ ...raw, cells: [...skipped, ...changed] })
          const others = [...texts].filter(([title]) => !titles.includes(title))
          return 'value' in read ? { value: withTexts(read.value as object, others) } : read
        },
      })
  }
  return rows
}

function recordRow(line: number, text: string): Omit<RejectedRow, 'isImported'> {
  const parsed = valueOf(text)
  const cells = 'value' in parsed ? cellsOfRecord(parsed.value) : []
  return {
    line,
    cells,
    isTableRow: false,
    read: (texts) =>
      'value' in parsed && cells.length > 0 ? { value: withTexts(parsed.value as object, texts) } : parsed,
  }
}

/** Returns the fields of a JSON record as cells. Each field of a person is a separate cell. */
function cellsOfRecord(record: unknown): RejectedCell[] {
  if (!isObject(record)) return []
  return Object.entries(record).flatMap(([name, value]) =>
    valueKindOf(`${name}.id`) !== null && isObject(value)
      ? Object.entries(value).flatMap(([part, inner]) => cellsOf(`${name}.${part}`, inner))
      : cellsOf(name, value),
  )
}

const cellsOf = (field: string, value: unknown): RejectedCell[] =>
  valueKindOf(field) === null ? [] : [{ title: field, field, text: textOf(value) }]

function textOf(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value.toWellFormed() : stringifyJson(value)
}

function valueOf(text: string): ReadRow {
  try {
    return { value: parseJson(text) }
  } catch {
    return { faults: [{ field: null, reason: 'is not JSON' }] }
  }
}

/** Returns the record with these texts as field values, parsed like cells. Ignores unknown fields. */
function withTexts(record: object, texts: Iterable<readonly [field: string, text: string]>): Values {
  const changed = Object.assign(Object.create(null) as Values, record)
  for (const [field, text] of texts) {
    const kind = valueKindOf(field)
    if (kind === null) continue
    const [name, part] = field.split('.') as [string, string | undefined]
    const value = readerOf(kind)(text)
    if (part === undefined) changed[name] = value
    else changed[name] = { ...(isObject(changed[name]) ? changed[name] : {}), [part]: value }
  }
  // As in a table, an empty cell means that there is no partner column.
  if (changed['partner'] === null) delete changed['partner']
  return changed
}

/** The new texts for a row. */
interface Correction {
  line: number
  cells: { title: string; text: string }[]
}

interface CorrectedRow {
  line: number
  isTableRow: boolean
  isImported: boolean
  corrected: ReadonlySet<string>
  /** All cells with their corrections. For a JSON record, only the corrected cells. */
  cells: RejectedCell[]
  read: ReadRow
}

function correctRows(rows: RejectedRow[], corrections: Correction[]): CorrectedRow[] {
  const byLine = new Map(corrections.map(({ line, cells }) => [line, cells]))
  return rows.map(({ line, isTableRow, isImported, cells, read }) => {
    const texts = new Map(byLine.get(line)?.map(({ title, text }) => [title, text]))
    const changed = cells.filter(({ title, text }) => (texts.get(title) ?? text) !== text)
    return {
      line,
      isTableRow,
      isImported,
      corrected: new Set(changed.map(({ field }) => field.split('.')[0]!)),
      cells: cells.flatMap((cell) => {
        const text = texts.get(cell.title)
        if (text !== undefined) return [{ ...cell, text }]
        return isTableRow ? [cell] : []
      }),
      read: read(texts),
    }
  })
}

const correctedSource = (rows: CorrectedRow[]): RecordSource<CorrectedRow> => ({
  async *items() {
    for (const [index, raw] of rows.entries()) yield { line: index + 1, size: 0, raw }
  },
  idOf: ({ read }) => ('value' in read ? idOfRecord(read.value) : null),
  bytesOf: () => null,
  titlesOf: () => [],
  cellsOf: () => [],
  cellOf: ({ cells }, field) => cells.find((cell) => cell.field === field),
  valueOf: ({ read }) => read,
})

/** Returns the rows as an NDJSON file. Rows that were already imported contain only the corrected fields. */
const fileOf = (rows: CorrectedRow[]) =>
  rows.map((row) => ('value' in row.read ? `${stringifyJson(toWrite(row, row.read.value))}\n` : '')).join('')

const toWrite = ({ isImported, corrected }: CorrectedRow, value: unknown) =>
  isImported
    ? Object.fromEntries(
        Object.entries(value as Values).filter(([field]) => field === 'id' || corrected.has(field)),
      )
    : value

type Values = Record<string, unknown>

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
