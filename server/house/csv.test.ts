import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// A second writer of CSV would have its own definition of formulas in a spreadsheet.

const root = join(import.meta.dirname, '../..')
const paths = globSync(['server/**/*.ts', 'db/**/*.ts', 'app/**/*.{ts,tsx}'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .toSorted()

/** Code that doubles quotes, or a library that does. */
const writes = /(?:'""'|"\\"\\""|`""`|'\$&\$&')|from '(?:papaparse|csv-stringify\S*|csv-writer|fast-csv\S*)'/

/** Files that double quotes for a reader other than a spreadsheet. */
const others: Record<string, string> = {
  'server/backup/store.ts': 'names in SQL',
  'server/sources/sql/sql-source.ts': 'names in SQL',
  'server/readers/csv-rows.ts': 'quotes that are read',
  'server/readers/read-xlsx.ts': 'rows of a workbook that only its import reads',
}

test('only one file writes CSV', () => {
  const found = paths.filter((path) => writes.test(readFileSync(join(root, path), 'utf8')))
  expect(found.filter((path) => !Object.hasOwn(others, path))).toEqual(['server/values/csv.ts'])
})

test.each([`text.replaceAll('"', '""')`, `import papaparse from 'papaparse'`])(
  'a second one would be found: %s',
  (text) => expect(writes.test(text)).toBe(true),
)
