import { columnName } from '../records/cell.ts'
import { ellipsize } from '../values/quoted.ts'

const titleMaxLength = 200

/** Trims a title, and removes invisible characters and line breaks. */
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

/** A column, its index (from 0) in the rows, and its unique title. */
export interface NamedColumn {
  index: number
  title: string
  /** Set if the header contains no title for the column. */
  isUntitled?: true
}

/**
 * Names the columns that have a title or content. Numbers repeated titles (`Date (2)`), and names untitled
 * columns by their letter (`Column D`).
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
