import type { DealChange } from '../deals/change.ts'
import { dataIssues } from '../deals/data-issue-rules.ts'
import { dataIssuesOf, implausibleFieldsOf } from '../deals/data-issue.ts'
import { parseDeal } from '../deals/render.ts'
import { encodings, type FileSource, type JoinedCells, type SkippedRows } from '../readers/file-source.ts'
import type { MappedTable } from '../readers/mapping.ts'
import { stringifyJson } from '../values/int64.ts'
import { ellipsize, shorten, textMax } from '../values/short-text.ts'
import type { Sample } from './import.ts'
import { type Warning, type WarningKind, titleOfWarning } from './wire.ts'

const kinds: readonly WarningKind[] = ['noName', 'noStage', ...dataIssues]

/** Counts the warnings about the deals that an import creates or updates. */
export class WarningTally {
  readonly #found = new Map<WarningKind, Warning>()
  readonly #now: Date

  constructor(now: Date) {
    this.#now = now
  }

  add(line: number, change: DealChange): void {
    for (const kind of this.#kindsOf(change)) {
      const known = this.#found.get(kind)
      if (known !== undefined) known.count++
      else this.#found.set(kind, { kind, count: 1, line, ...this.#exampleOf(kind, change) })
    }
  }

  all(): Warning[] {
    return kinds.flatMap((kind) => this.#found.get(kind) ?? [])
  }

  /** Returns the warnings about new or changed implausible values of a deal. */
  #kindsOf({ stored, deal, changes }: DealChange): WarningKind[] {
    const findings = dataIssuesOf(deal, this.#now)
    if (stored === undefined) return [...lacksOf(deal), ...findings]
    if (findings.length === 0) return []
    const before = dataIssuesOf(parseDeal(stored.json), this.#now)
    const changed = new Set(changes.map(({ field }) => field))
    return findings.filter(
      (finding) =>
        !before.includes(finding) ||
        implausibleFieldsOf(finding, deal, this.#now).some((field) => changed.has(field)),
    )
  }

  #exampleOf(kind: WarningKind, { id, deal }: DealChange): Pick<Warning, 'id' | 'name' | 'fields'> {
    const fields = kind === 'noName' || kind === 'noStage' ? [] : implausibleFieldsOf(kind, deal, this.#now)
    return {
      id: String(id),
      name: deal.dealname == null ? null : ellipsize(deal.dealname, textMax),
      fields: fields.flatMap((field) =>
        deal[field] == null ? [] : [{ field, json: shorten(stringifyJson(deal[field])) }],
      ),
    }
  }
}

function lacksOf({ dealname, firstName, lastName, stage }: DealChange['deal']): ('noName' | 'noStage')[] {
  const isNamed = [dealname, firstName, lastName].some((name) => name != null && name.trim() !== '')
  return [
    ...(isNamed ? [] : (['noName'] as const)),
    ...(stage == null || stage === '' ? (['noStage'] as const) : []),
  ]
}

/** Describes a warning in one line. */
export function warningText({ kind, count, line, id, fields }: Warning): string {
  const values = fields.map(({ field, json }) => `${field} ${json}`).join(', ')
  const first = `deal ${id} on line ${line}${values === '' ? '' : `: ${values}`}`
  return `${titleOfWarning(kind)}: ${count === 1 ? '' : `${count} deals, first `}${first}`
}

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
