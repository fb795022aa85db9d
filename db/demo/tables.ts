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

/** Returns the rows of a section of `tables.txt`, each as its columns. */
export function rows(section: string): string[][] {
  const found = sections.get(section)
  if (found === undefined) throw new Error(`tables.txt has no section ${section}`)
  return found
}

/** Returns the entries of a column that is a list. */
export const list = (column = '') => column.split(', ')
