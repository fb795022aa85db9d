import { dealFields } from '../deals/deal.ts'
import type { Cell } from '../records/cell.ts'
import type { RecordSource } from '../records/record-source.ts'
import { referenceOf } from '../records/record.ts'
import type { FileSource } from './file-source.ts'
import type { RawValue } from './json-values.ts'
import type { TableRow } from './table-row.ts'
import { type Row, tableSource } from './table-source.ts'
import { fieldOfTitle } from './title-fields.ts'

type Values = Record<string, unknown>

/** Number of records that are read to decide whether their keys are titles. */
const sampleMax = 100

/** Maximum number of keys. Further keys are ignored. */
const keysMax = 1000

// Airtable, HubSpot and Salesforce wrap the values of a record in one of these keys.
const wrappers: ReadonlySet<string> = new Set(['fields', 'properties', 'attributes'])

const names: ReadonlySet<string> = new Set(['dealname', 'firstName', 'lastName'])

/**
 * Returns a JSON file as a table if its keys are titles such as `Customer Name`, or null if they are field
 * names.
 */
export async function jsonTable(source: RecordSource<RawValue>): Promise<FileSource<Row> | null> {
  const records: Values[] = []
  for await (const { raw } of source.items()) {
    const record = recordIn(source, raw)
    if (record !== null) records.push(record)
    if (records.length === sampleMax) break
  }
  if (!areTitled(records)) return null
  let titles: Promise<string[]> | undefined
  const table = tableSource(() => readRows(source, (titles ??= titlesOf(source))), {
    format: 'JSON',
    headerRow: 0,
  })
  // There are no other rows that could be the header.
  const { readHeader: _, ...rest } = table
  return rest
}

function recordIn(source: RecordSource<RawValue>, raw: RawValue): Values | null {
  const read = source.valueOf(raw)
  return 'value' in read && isObject(read.value) ? read.value : null
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isField = (key: string) => Object.hasOwn(dealFields, key) || key === 'partner'

/** Returns whether the keys are human-readable titles that are needed to find the id or the name. */
function areTitled(records: Values[]): boolean {
  const fields = new Set(records.flatMap((record) => Object.keys(record)).filter(isField))
  const titles = new Set(records.flatMap((record) => [...flat(record)].map(([title]) => title)))
  const found = new Set([...titles].filter((title) => !fields.has(title)).map(fieldOfTitle))
  found.delete(undefined)
  if (!fields.has('id') && (found.has('id') || found.size > 1)) return true
  return !fields.values().some((name) => names.has(name)) && found.values().some((name) => names.has(name!))
}

/**
 * Yields the keys of a record with their values. Keys of an inner object are appended to the outer key:
 * `Address City`. Odoo's `"stage_id": [4, "Won"]` also yields `stage_name`.
 */
function* flat(record: Values): Generator<[title: string, value: unknown]> {
  for (const [key, value] of Object.entries(record)) {
    const reference = referenceOf(value)
    if (reference !== null && key.endsWith('_id')) {
      yield [key, reference.id]
      yield [`${key.slice(0, -'id'.length)}name`, reference.name]
    } else if (!isObject(value)) yield [key, reference?.name ?? value]
    else
      for (const [inner, innerValue] of Object.entries(value))
        yield [wrappers.has(key) ? inner : `${key} ${inner}`, innerValue]
  }
}

async function titlesOf(source: RecordSource<RawValue>): Promise<string[]> {
  const titles = new Set<string>()
  for await (const { raw } of source.items())
    for (const [title] of flat(recordIn(source, raw) ?? {})) if (titles.size < keysMax) titles.add(title)
  return [...titles]
}

async function* readRows(
  source: RecordSource<RawValue>,
  reading: Promise<string[]>,
): AsyncGenerator<TableRow> {
  const titles = await reading
  const places = new Map(titles.map((title, at) => [title, at]))
  const idAt = Math.max(
    0,
    titles.findIndex((title) => fieldOfTitle(title) === 'id'),
  )
  yield { line: 0, cells: titles }
  for await (const { line, raw } of source.items()) {
    const cells = titles.map((): Cell => '')
    const record = recordIn(source, raw)
    if (record === null)
      cells[idAt] = { value: '', shown: '', problem: 'cannot be read: the record is not JSON' }
    for (const [title, value] of flat(record ?? {})) {
      const at = places.get(title)
      if (at !== undefined) cells[at] = textOf(value)
    }
    yield { line, cells }
  }
}

/**
 * Returns a value as cell text. For an object this is its name, and for a list its items joined by commas.
 */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ')
  if (!isObject(value)) return String(value)
  const name = ['name', 'label', 'title', 'value', 'text', 'url'].find(
    (key) => typeof value[key] === 'string',
  )
  return name === undefined ? JSON.stringify(value) : String(value[name])
}
