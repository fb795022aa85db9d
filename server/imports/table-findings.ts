import { encodings, type FileSource, type JoinedCells, type SkippedRows } from '../readers/file-source.ts'
import type { MappedTable } from '../readers/mapping.ts'
import { ellipsize } from '../values/short-text.ts'
import type { Sample } from './import.ts'

const titleMax = 100
const lostMax = 20

/** Returns the results about a table and its mapping for the portal and commands. */
export function tableFindings(mapped: MappedTable): Partial<Sample> {
  const { table, fields, undecided, losses, untitled, hidden, problem, open } = mapped
  const columns = table.columns.map(({ title, examples, hidden: isHidden }, at) => {
    const mayBe = undecided.find((column) => column.title === title)?.fields
    return {
      title,
      examples,
      field: fields[at]!,
      ...(isHidden && { hidden: isHidden }),
      ...(mayBe && { mayBe }),
    }
  })
  const { dates, numbers } = open
  return {
    columns,
    ...(table.skipped.length > 0 && { skipped: table.skipped }),
    ...(table.joined && { joined: table.joined }),
    ...(losses.lost.length > 0 && { lost: losses.lost.slice(0, lostMax) }),
    ...(losses.lacks.length > 0 && { lacks: losses.lacks }),
    ...(untitled && { untitled }),
    ...(hidden.length > 0 && { hiddenColumns: hidden }),
    ...(problem !== null && { columnProblem: problem }),
    ...(dates && { dates: { ...dates, title: ellipsize(dates.title, titleMax) } }),
    ...(numbers && { numbers: { ...numbers, title: ellipsize(numbers.title, titleMax) } }),
  }
}

/** Describes the assumed encoding of a file in one line for a terminal. */
export const encodingText = ({ chosen, choices }: NonNullable<FileSource['encoding']>) => {
  const words = choices.find(({ encoding }) => encoding === chosen)?.words ?? []
  return `the file is read as ${encodings[chosen]}: ${words.join(', ')}; choose another with --encoding`
}

/** Describes what is ignored and assumed in a table, one line per result, for a terminal. */
export function findingTexts({ table, losses, untitled, hidden, open, undecided }: MappedTable): string[] {
  const lost = losses.lost.filter(({ title }) => !undecided.some((column) => column.title === title))
  const named = lost
    .slice(0, lostMax)
    .map(({ title, filled }) => `${quote(title)} (${countOf(filled, 'value')})`)
  const more = lost.length > named.length ? ', …' : ''
  return [
    ...table.skipped.map(skippedText),
    ...(table.joined === null ? [] : [joinedText(table.joined)]),
    ...(untitled === null ? [] : [untitledText(untitled)]),
    ...(hidden.length === 0 ? [] : [`hidden columns are ignored: ${hidden.map(quote).join(', ')}`]),
    ...(named.length === 0
      ? []
      : [
          `columns are ignored: ${named.join(', ')}${more}; choose their fields in the portal, or name them after fields`,
        ]),
    ...losses.lacks.map((field) => `no column is read as the ${field} of the deal`),
    ...(open.numbers === null ? [] : [numbersText(open.numbers)]),
  ]
}

const quote = (text: string) => JSON.stringify(text)
const countOf = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

function numbersText({ text, values, decimal }: NonNullable<MappedTable['open']['numbers']>): string {
  const value = decimal === '.' ? values.point : values.comma
  return `numbers such as ${quote(text)} are read as ${value}; choose with --decimal point or --decimal comma`
}

const untitledText = ({ count, first }: { count: number; first: string }) =>
  count === 1
    ? `cell ${first} has no title above it and is ignored`
    : `cell ${first} and ${countOf(count - 1, 'other')} have no title above them and are ignored`

const joinedText = ({ count, rows }: JoinedCells) =>
  `cells with an unquoted separator are read as one: ${rows
    .map(({ row, text }) => `${quote(text)} on line ${row}`)
    .join(', ')}${count > rows.length ? `, and on ${countOf(count - rows.length, 'other line')}` : ''}`

/** Describes rows that are ignored because they are not deals: `3 lines at the end look like a footer …`. */
function skippedText({ kind, count, rows }: SkippedRows): string {
  const lines = countOf(count, 'line')
  const [look, repeat, are] = count === 1 ? ['looks', 'repeats', 'is'] : ['look', 'repeat', 'are']
  const texts = `${rows.map(({ text }) => quote(text)).join(', ')}${count > rows.length ? ', …' : ''}`
  switch (kind) {
    case 'footer':
      return `${lines} at the end ${look} like a footer and ${are} ignored: ${texts}`
    case 'total':
      return `${lines} ${look} like ${count === 1 ? 'a total' : 'totals'} and ${are} ignored: ${texts}`
    case 'remark':
      return `${lines} ${look} like ${count === 1 ? 'a remark' : 'remarks'} and ${are} ignored: ${texts}`
    case 'titles':
      return `${lines} ${repeat} the titles and ${are} ignored: ${rows.map(({ row }) => `line ${row}`).join(', ')}`
    case 'group':
      return `${lines} ${count === 1 ? 'names a group' : 'name groups'} of the lines below: ${texts}`
    case 'subitem':
      return `${lines} of subitems ${are} ignored: ${texts}`
    case 'struck':
      return `${lines} ${count === 1 ? 'is' : 'are'} struck through in whole or in part, but read: ${texts}`
    case 'rule':
      return `${lines} only ${count === 1 ? 'separates' : 'separate'} others and ${are} ignored`
  }
}
