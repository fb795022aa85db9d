import { personOf } from '../deals/change.ts'
import { type FieldKind, dealFields, personFields, valueKindOf } from '../deals/deal.ts'
import {
  type Cell,
  type VisibleCell,
  cellName,
  cellProblem,
  displayText,
  textFor,
  type RecordSource,
  type SourceItem,
  UnreadableHeader,
  recordMaxBytes,
  type ReadCell,
} from '../records/record-source.ts'
import { idOfRecord } from '../records/record.ts'
import { withoutEscape } from '../values/csv.ts'
import { isOpenFlag } from '../values/flag.ts'
import { parseJson } from '../values/int64.ts'
import { jointFields, placeFields, splitPlace } from '../values/place.ts'
import { type ReadValue, Unreadable, type ValueFormat, readerOf } from '../values/value.ts'
import { formatsOf } from './column-format.ts'
import type { FileSource, FormatChoice, Mapping, OpenValues, Table, TableRow } from './file-source.ts'
import { fromHeader, readHeaderRow } from './header-row.ts'
import { fieldOf, isOwnExport, mappingProblem } from './mapping.ts'
import { type Survey, type Surveyed, type SurveyedColumn, surveyTable } from './survey.ts'
import { zoneOfTitle } from './title-fields.ts'

export interface TableSettings {
  /** The format of the table, as shown to people. */
  format: string
  headerRow: number | null
  /** The delimiter of a text file. */
  delimiter?: string
  /** Number of hidden rows of a sheet. Missing for a text file. */
  hidden?: number
  /** Hidden columns of a sheet, counted from 0. */
  hiddenColumns?: number[]
}

/** A row to read as a record. Its cells are in the order of the columns. */
export interface Row {
  plan: Plan
  cells: Cell[]
  line: number
  isTooLong?: true
}

/** How the rows of a table are read. */
interface Plan {
  columns: Column[]
  /** Index of the `id` column, or of the only column if the column contains JSON. */
  idAt: number
  /** Number of columns before the record in a file of rejected rows. */
  added: number
  /** True if each row contains a record as JSON. */
  isJson: boolean
  /** True if formula-like cells are escaped with an apostrophe. */
  isEscaped: boolean
  isSheet: boolean
}

/** A column of the table, with its deal field or field of a person, if any. */
interface Column {
  index: number
  title: string
  /** The name of the field, or empty if the column is ignored. */
  name: string
  field: string
  personField: string | null
  kind: FieldKind
  read: ReadValue
  /** True if the values are numbers, which a workbook may display rounded. */
  isFigure: boolean
  /** Set if each value is split into several fields, such as a place `Mesa, AZ 85203`. */
  split?: { read: (text: string) => Record<string, string> | null; fields: string[] }
  /** The flag that a value in a column of names may represent instead. */
  flag?: { field: string; read: ReadValue<boolean> }
}

/**
 * Returns the records of a table. Its titles are field names such as `owner.email`, or are mapped to fields.
 * Empty cells and placeholders are null. `read` opens the rows for each pass, and the first pass surveys
 * them.
 */
export function tableSource(read: () => AsyncIterable<TableRow>, settings: TableSettings): FileSource<Row> {
  let surveying: Promise<Surveyed> | undefined
  const survey = () => (surveying ??= surveyTable(() => fromHeader(read(), settings.headerRow), settings))
  const sourceOf = (planned: () => Promise<{ plan: Plan; survey: Surveyed }>): FileSource<Row> => ({
    ...rowReader,
    format: settings.format,
    readHeader: () => readHeaderRow(read(), settings),
    readTable: async () => tableOf(await survey()),
    mapped: async (mapping, choice = {}) => {
      const { plan, open } = planOf(await survey(), settings, mapping, choice)
      return { source: sourceOf(async () => ({ plan, survey: await survey() })), open }
    },
    items: () => readRows(settings, planned),
  })
  return sourceOf(async () => {
    const found = await survey()
    return { plan: planOf(found, settings, {}, {}).plan, survey: found }
  })
}

const tableOf = ({ columns, added, isJson, skipped, joined }: Survey): Table => ({
  columns: isJson ? [] : columns.slice(added),
  joined,
  skipped,
})

async function* readRows(
  settings: TableSettings,
  planned: () => Promise<{ plan: Plan; survey: Surveyed }>,
): AsyncGenerator<SourceItem<Row>> {
  const { plan, survey } = await planned()
  if (survey.isEmpty) {
    // A file of rejected rows may have no rows.
    if (settings.hidden !== undefined || (survey.columns.length > 0 && plan.added === 0))
      throw new UnreadableHeader('there is no row to import')
    return
  }
  let isHeader = true
  for await (const row of survey.rows()) {
    const isRow = !isHeader && !survey.isSkipped(row)
    isHeader = false
    if (!isRow) continue
    const { line, isTooLong } = row
    const cells = plan.columns.map(({ index }) => row.cells[index] ?? '')
    yield {
      line,
      size: sizeOf(cells),
      raw: {
        plan,
        cells: plan.isEscaped ? cells.map(withoutEscapeOf) : cells,
        line,
        ...(isTooLong && { isTooLong }),
      },
    }
  }
}

/** Returns the approximate size of a record in bytes, from its characters and commas. */
function sizeOf(cells: Cell[]): number {
  let size = cells.length
  for (const cell of cells) size += (typeof cell === 'string' ? cell : cell.value).length
  return size
}

/** Flags that a value in a column of names may represent instead, such as `No` in a column of batteries. */
const flagOfNames: Record<string, string> = { battery: 'hasBattery', hoaName: 'hasHoa' }

/** Returns how to read rows with these fields for the columns. @throws UnreadableHeader without an id */
function planOf(
  { columns: all, added, isJson, isEmpty }: Survey,
  settings: TableSettings,
  mapping: Mapping,
  choice: Partial<FormatChoice>,
): { plan: Plan; open: OpenValues } {
  const fields = all.map((column, at) => (at < added || isJson ? '' : fieldOf(column, mapping)))
  const idAt = isJson ? added : fields.indexOf('id')
  if (idAt < 0 && !isEmpty) throw new UnreadableHeader(mappingProblem(all.slice(added), mapping)!)
  const { formats, open } = formatsOf(
    all.map(({ title, tally }, at) => ({ title, tally, field: fields[at]!, zone: zoneOfTitle(title).zone })),
    choice,
  )
  const isSheet = settings.hidden !== undefined
  const plan = {
    columns: all.map((column, at) => columnOf(column, fields[at]!, formats[at]!, fields)),
    idAt,
    added,
    isJson,
    isEscaped: added > 0 || (!isSheet && isOwnExport(all.map(({ title }) => title))),
    isSheet,
  }
  return { plan, open }
}

function columnOf(
  { index, title, tally }: SurveyedColumn,
  name: string,
  format: ValueFormat,
  fields: readonly string[],
): Column {
  const [field, personField = null] = name.split('.') as [string, string | undefined]
  const valueKind = jointFields.has(name) ? 'text' : valueKindOf(name)
  const flag = flagOfNames[name]
  const hasFlag = flag !== undefined && !fields.includes(flag) && tally.count('flag') > 0
  return {
    index,
    title,
    name: valueKind === null ? '' : name,
    field,
    personField,
    kind: isDegree(name) ? 'double' : fieldKindOf(field, personField),
    read: readerOf(valueKind ?? 'text', format),
    isFigure: valueKind === 'size' || name === 'loanAmount' || name.startsWith('numberOf'),
    ...((name === 'fullAddress' || name === 'cityStateZip') && {
      split: { read: splitPlace[name], fields: placeFields[name].filter((part) => !fields.includes(part)) },
    }),
    ...(hasFlag && { flag: { field: flag, read: readerOf('flag', format) } }),
  }
}

function fieldKindOf(field: string, personField: string | null): FieldKind {
  const kinds: Record<string, { kind: FieldKind }> = personField === null ? dealFields : personFields
  const name = personField ?? field
  return Object.hasOwn(kinds, name) ? kinds[name]!.kind : 'text'
}

/** Returns a person. If there is no id column, the person is identified by name and e-mail address. */
function whole({ name, ...person }: Record<string, unknown>): Record<string, unknown> {
  if ('id' in person || !('email' in person || name !== undefined))
    return name === undefined ? person : { ...person, ...namesOf(String(name ?? '')) }
  const { firstName = null, lastName = null } = person
  const fullName = name ?? [firstName, lastName].filter(Boolean).join(' ')
  return {
    ...person,
    ...personOf({ name: String(fullName), email: (person['email'] ?? null) as string | null }),
  }
}

function namesOf(name: string) {
  const { firstName, lastName } = personOf({ name, email: null })
  return { firstName, lastName }
}

/** Returns a cell of a file of rejected rows as in the original file. */
const withoutEscapeOf = (cell: Cell): Cell => (typeof cell === 'string' ? withoutEscape(cell) : cell)

const rowReader = {
  idOf,
  isTableRow: ({ plan }: Row) => !plan.isJson,
  bytesOf: () => null,
  titlesOf: ({ plan: { columns, added } }: Row) => columns.slice(added).map(({ title }) => title),
  cellsOf: ({ plan: { columns, added }, cells }: Row) =>
    cells.slice(added).map((cell, at) => textIn(columns[added + at]!, cell)),
  cellOf,
  valueOf,
}

function idOf(row: Row): bigint | null {
  const { plan, cells } = row
  if (!plan.isJson) {
    const read = readCell(row, plan.idAt)
    return typeof read === 'bigint' ? read : null
  }
  return idOfRecord(jsonOf(displayText(cells[plan.idAt] ?? '')))
}

function cellOf({ plan, cells }: Row, field: string): ReadCell | undefined {
  if (plan.isJson) return undefined
  const at = plan.columns.findIndex(
    ({ name, flag, split }) => name === field || flag?.field === field || split?.fields.includes(field),
  )
  return at < 0 ? undefined : { title: plan.columns[at]!.title, text: displayText(cells[at] ?? '') }
}

/** Returns the text to parse. For a link, this is the URL if the field contains a URL. */
function textIn({ name, kind, isFigure }: Column, cell: Cell): string {
  const link = typeof cell === 'string' ? undefined : cell.link
  if (link !== undefined) {
    const mailbox = /^mailto:([^?]+)/i.exec(link)?.[1]
    if (mailbox !== undefined && (name.endsWith('.email') || name === 'hoaEmail')) return mailbox
    if (mailbox === undefined && name === 'proposalLink') return link
  }
  const isOther = isFigure && typeof cell !== 'string' && (name.startsWith('numberOf') || isRounded(cell))
  return isOther ? cell.value : textFor(kind, cell)
}

/** Returns whether a cell displays a rounded number, such as 8.4 for 8.36. */
function isRounded({ shown, value }: VisibleCell): boolean {
  const [digits = ''] = /\d[\d.,]*/.exec(shown) ?? []
  const [a, b] = [Number(digits.replaceAll(',', '')), Math.abs(Number(value))]
  return digits !== '' && Math.abs(a - b) > 1e-9
}

function jsonOf(cell: string): unknown {
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

const rowFault = (reason: string) => ({ faults: [{ field: null, reason }] })

function valueOf(row: Row): ReturnType<RecordSource['valueOf']> {
  const { plan, cells, isTooLong } = row
  if (isTooLong) return rowFault(`is longer than ${recordMaxBytes} characters`)
  if (plan.isJson) {
    const value = jsonOf(displayText(cells[plan.idAt] ?? ''))
    return value === undefined ? rowFault('is not JSON') : { value }
  }
  const value: Record<string, unknown> = {}
  const persons: Record<string, Record<string, unknown>> = {}
  const degrees: Partial<Record<'latitude' | 'longitude', unknown>> = {}
  for (const [at, column] of plan.columns.entries()) {
    const { name, field, personField, flag, split } = column
    if (name === '') continue
    const read = readCell(row, at)
    if (isDegree(name)) degrees[name] = read
    else if (split !== undefined) Object.assign(value, fieldsOf(split, read))
    else if (personField !== null) (persons[field] ??= {})[personField] = read
    else if (flag !== undefined) Object.assign(value, readNameOrFlag(row, at, read))
    else if (name !== 'partner' || read !== null) value[field] = read
  }
  if (degrees.latitude !== undefined && degrees.longitude !== undefined)
    value['coordinates'] ??= pairOf(degrees.latitude, degrees.longitude)
  const { stage, pipeline } = value
  // HubSpot exports contain the pipeline with the stage: `Permit (Solar Pipeline)`.
  if (typeof stage === 'string' && typeof pipeline === 'string' && stage.endsWith(` (${pipeline})`))
    value['stage'] = stage.slice(0, -pipeline.length - 3)
  for (const [field, person] of Object.entries(persons))
    value[field] = Object.values(person).every((cell) => cell === null) ? null : whole(person)
  return { value }
}

const isDegree = (name: string) => name === 'latitude' || name === 'longitude'

const pairOf = (...pair: unknown[]) =>
  pair.every((each) => typeof each === 'string')
    ? pair.map((each) => each.replace(',', '.')).join(',')
    : (pair.find((each) => each instanceof Unreadable) ?? null)

/** Returns the fields in a combined text such as an address. Other text is assigned to the first field. */
function fieldsOf({ read, fields }: NonNullable<Column['split']>, value: unknown): Record<string, unknown> {
  const place = typeof value === 'string' ? read(value) : null
  if (place !== null)
    return Object.fromEntries(Object.entries(place).filter(([field]) => fields.includes(field)))
  return Object.fromEntries((value === null ? fields : fields.slice(0, 1)).map((field) => [field, value]))
}

const notAvailable = 'is the error #N/A'

/** Returns the value of a cell, null if the cell is empty, or the reason it is unreadable. */
function readCell({ plan, cells, line }: Row, at: number): unknown {
  const column = plan.columns[at]!
  const cell = cells[at]!
  const text = textIn(column, cell)
  if (text.includes('\uFFFD'))
    return new Unreadable('has characters that cannot be read; choose the encoding of the file')
  const problem = cellProblem(cell)
  // A formula without a stored result may still have the URL that it links to.
  if (problem === null || (typeof cell !== 'string' && text === cell.link)) return column.read(text)
  // As in a text file, "not available" means that there is no value.
  if (problem === notAvailable) return null
  return new Unreadable(plan.isSheet ? `${problem} (cell ${cellName(column.index, line)})` : problem)
}

/** Returns the name or the flag in a cell. A name implies that the flag is true. */
function readNameOrFlag({ plan, cells }: Row, at: number, read: unknown): Record<string, unknown> {
  const { field, flag, ...column } = plan.columns[at]!
  if (read === null || read instanceof Unreadable) return { [field]: read }
  const flagValue = flag!.read(textIn({ field, ...column }, cells[at]!))
  if (flagValue instanceof Unreadable)
    return isOpenFlag(String(read))
      ? { [field]: null, [flag!.field]: flagValue }
      : { [field]: read, [flag!.field]: true }
  return flagValue === false ? { [field]: null, [flag!.field]: false } : { [flag!.field]: flagValue }
}
