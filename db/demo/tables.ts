import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const sections = new Map(
  readFileSync(join(import.meta.dirname, 'tables.txt'), 'utf8')
    .split('\n\n# ')
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.trimEnd().split('\n')
      return [name, lines.map((line) => line.split(' | '))] as const
    }),
)

/** Returns the rows of a section of `tables.txt`. Each column is parsed by its function. */
export const table = <Columns extends Record<string, (cell: string) => unknown>>(
  section: string,
  columns: Columns,
) =>
  sections.get(section)!.map(
    (row) =>
      Object.fromEntries(Object.entries(columns).map(([name, parse], at) => [name, parse(row[at]!)])) as {
        [Name in keyof Columns]: ReturnType<Columns[Name]>
      },
  )

/** Returns the entries of a column that is a list. */
export const list = (column: string) => column.split(', ')
