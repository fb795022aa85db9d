import { columnName } from '../records/cell.ts'
import { ellipsize } from '../values/quoted.ts'

const titleMaxLength = 200

/** Returns a title without invisible characters and line breaks, nor spaces around it. */
export const cleanTitle = (text: string) =>
  ellipsize(
    text
      .slice(0, 2 * titleMaxLength)
      .replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
      .replaceAll(/[\s\0]+/g, ' ')
      .trim()
      .toWellFormed(),
    titleMaxLength,
  )

/** A column by its place in the rows, from 0, and its title, which no other column has. */
export interface NamedColumn {
  index: number
  title: string
  /** Whether the header has no title for it. */
  isUntitled?: true
}

/**
 * Names the columns of a table: those that have a title and those that have content. A repeated title is
 * numbered, `Date (2)`; a column without one is named by its letter, `Column D`.
 */
export function nameColumns(titles: string[], withContent: Iterable<number>): NamedColumn[] {
  const clean = titles.map(cleanTitle)
  const isTitled = (index: number) => (clean[index] ?? '') !== ''
  const indexes = new Set([...clean.keys()].filter(isTitled).concat([...withContent]))
  const taken = new Set(clean)
  const named = new Set<string>()
  return [...indexes]
    .toSorted((a, b) => a - b)
    .map((index) => {
      const isUntitled = !isTitled(index)
      const title = isUntitled ? `Column ${columnName(index)}` : clean[index]!
      const isNew = !named.has(title) && !(isUntitled && taken.has(title))
      const unique = isNew ? title : numbered(title, taken)
      taken.add(unique)
      named.add(unique)
      return { index, title: unique, ...(isUntitled && { isUntitled }) }
    })
}

function numbered(title: string, taken: ReadonlySet<string>): string {
  let number = 2
  while (taken.has(`${title} (${number})`)) number++
  return `${title} (${number})`
}
