import { csvSource, type Delimiter } from '#server/readers/csv-rows.ts'
import type { FileSource } from '#server/readers/file-source.ts'
import { mapTable } from '#server/readers/mapping.ts'
import type { RecordSource } from '#server/records/record-source.ts'
import { Unreadable } from '#server/values/value.ts'

/** Returns the content as a file that arrives in chunks of this many bytes. */
export const fileOf = (content: string | Buffer, chunk = Infinity) =>
  async function* () {
    const bytes = Buffer.from(content as string)
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk)
  }

interface ReadRecord {
  line: number
  id: bigint | null
  value?: unknown
  faults?: string[]
}

/** Reads all records. Unreadable values are `! ` and the reason, unreadable records have faults. */
export async function readRecords<Raw>(source: RecordSource<Raw>): Promise<ReadRecord[]> {
  const records: ReadRecord[] = []
  for await (const { line, raw } of source.items()) {
    const read = source.valueOf(raw)
    records.push({
      line,
      id: source.idOf(raw),
      ...('value' in read
        ? { value: shown(read.value) }
        : { faults: read.faults.map(({ field, reason }) => `${field} ${reason}`) }),
    })
  }
  return records
}

function shown(value: unknown): unknown {
  if (value instanceof Unreadable) return `! ${value.reason}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, shown(inner)]))
}

/** Maps the columns of a table as suggested. Returns null for a file without columns. */
export const mapAsSuggested = (source: FileSource, isConfirmed = true) =>
  mapTable(source, {
    chosen: async () => null,
    isConfirmed,
    choice: { dayFirst: null, decimal: null },
    today: '2026-11-27',
  })

/** Reads a CSV file with the suggested mapping. Returns the values; unreadable cells are `?`. */
export async function readTable(text: string, delimiter: Delimiter = ',') {
  const mapped = await mapAsSuggested(csvSource(fileOf(text), { encoding: 'utf-8', delimiter }) as FileSource)
  const { source, table, mapping, problem } = mapped!
  if (problem !== null) throw new Error(problem)
  const rows = (await readRecords(source)).map(({ value }) =>
    Object.fromEntries(
      Object.entries(value as object).map(([field, read]) => [
        field,
        typeof read === 'string' && read.startsWith('! ') ? '?' : (read as unknown),
      ]),
    ),
  )
  return { rows, table, mapping }
}
