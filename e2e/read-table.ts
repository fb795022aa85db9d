import { csvSource, type Delimiter } from '#server/readers/csv-rows.ts'
import { mapTable } from '#server/readers/mapping.ts'
import { Unreadable } from '#server/values/value.ts'

/** Reads a CSV file with the suggested mapping. Returns the values; unreadable cells are `?`. */
export async function readTable(text: string, delimiter: Delimiter = ',') {
  const file = async function* () {
    yield Buffer.from(text)
  }
  const mapped = await mapTable(csvSource(file, { encoding: 'utf-8', delimiter }), {
    chosen: async () => null,
    isConfirmed: true,
    choice: { dayFirst: null, decimal: null },
    today: '2026-11-27',
  })
  const { source, table, mapping, problem } = mapped!
  if (problem !== null) throw new Error(problem)
  const rows: Record<string, unknown>[] = []
  const shown = (value: unknown) => (value instanceof Unreadable ? '?' : value)
  for await (const { raw } of source.items()) {
    const result = source.valueOf(raw)
    if (!('value' in result)) throw new Error(result.faults[0]!.reason)
    rows.push(
      Object.fromEntries(
        Object.entries(result.value as object).map(([field, value]) => [field, shown(value)]),
      ),
    )
  }
  return { rows, table, mapping }
}
