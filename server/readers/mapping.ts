import { createHash } from 'node:crypto'
import { dealFields, valueKindOf } from '../deals/deal.ts'
import { placeOfWords } from '../stages/place.ts'
import { classifyStage, isMoving } from '../stages/stage.ts'
import type { ColumnTally } from '../values/column.ts'
import { quoted } from '../values/short-text.ts'
import { readerOf } from '../values/value.ts'
import type { FileSource, FormatChoice, Mapping, OpenValues, SourceColumn, Table } from './file-source.ts'
import { filledTitleOf, isOfGroups } from './group-rows.ts'
import { candidatesOf, columnFields, meaningsOf, zoneOfTitle } from './title-fields.ts'

interface MapOptions {
  /**
   * Returns the mapping that a person has chosen for this file or for the last file with these titles, or
   * null to use the suggested mapping.
   */
  chosen(columns: readonly SourceColumn[]): Promise<Mapping | null>
  /** True if a person confirms suggested mappings. */
  isConfirmed: boolean
  choice: FormatChoice
  /** The current day, which determines whether dates are in the future. */
  today: string
}

/** A table with fields for its columns. */
export interface MappedTable {
  table: Table
  mapping: Mapping
  isChosen: boolean
  /** The field of each column, or empty if the column is ignored. */
  fields: string[]
  /** Columns that are ignored unless a field is chosen. */
  undecided: OpenColumn[]
  losses: Losses
  /**
   * Cells in columns without a title, which are ignored: the number of cells, and the name of the first one.
   */
  untitled: { count: number; first: string } | null
  /** Titles of hidden columns whose values are ignored. */
  hidden: string[]
  /** The reason the columns must be mapped first, or null if the table can be read. */
  problem: string | null
  /** The records of the table. If there is a problem, the records as mapped before. */
  source: FileSource
  open: OpenValues
}

/** Maps the columns of a file to fields, or returns null for a file without columns. */
export async function mapTable(
  source: FileSource,
  { chosen, isConfirmed, choice, today }: MapOptions,
): Promise<MappedTable | null> {
  const table = await source.readTable?.()
  if (table === undefined || table.columns.length === 0) return null
  const { columns } = table
  const found = await chosen(columns)
  const mapping = found ?? suggestMapping(columns, isConfirmed)
  const { mapping: complete, open: undecided } = completeMapping(columns, mapping, {
    today,
    dayFirst: choice.dayFirst,
  })
  const fields = columns.map((column) => fieldOf(column, complete))
  const ignored = columns.filter((_, at) => fields[at] === '')
  const untitled = ignored.filter((column) => column.untitled !== undefined)
  const problem = mappingProblem(columns, complete)
  const mapped = problem === null ? await source.mapped!(complete, choice) : null
  return {
    table,
    mapping,
    isChosen: found !== null,
    fields,
    undecided,
    losses: lossesOf(columns, mapping, fields),
    untitled:
      untitled.length === 0
        ? null
        : {
            count: untitled.reduce((sum, { tally }) => sum + tally.filled + tally.empty, 0),
            first: untitled[0]!.untitled!,
          },
    hidden: ignored.flatMap(({ title, hidden, tally }) => (hidden && tally.filled > 0 ? [title] : [])),
    problem,
    source: mapped?.source ?? source,
    open: mapped?.open ?? { dates: null, numbers: null },
  }
}

/**
 * Suggests a field for each column by its title and values. If two columns match one field, chooses the one
 * with values, or else the one with the more likely title. If nobody confirms the suggestion, the id column
 * must have a title.
 */
export function suggestMapping(columns: readonly SourceColumn[], isConfirmed = true): Mapping {
  const mapping = Object.create(null) as Mapping
  const mapped = new Set<string>()
  const isFilledDown = (title: string) => columns.some((column) => column.title === filledTitleOf(title))
  const isOwn = isOwnExport(columns.map(({ title }) => title))
  for (const { title, hidden, tally } of columns) {
    const isOther =
      (title === 'id' && columns.some((column) => isOtherId(column, hasNoNumber(tally)))) ||
      (title === 'state' && fits('state', tally) === false)
    const isDerived = isOwn && derivedTitles.has(title)
    if (hidden || isFilledDown(title) || isOther || isDerived) mapping[title] = ''
    else if (isField(title)) mapped.add(title)
  }
  const isOpen = ({ title, untitled }: SourceColumn) =>
    untitled === undefined && !isField(title) && !Object.hasOwn(mapping, title)
  const add = (title: string, field: string) => {
    if (mapped.has(field) || Object.hasOwn(mapping, title)) return
    mapped.add(field)
    mapping[title] = field
  }
  for (const { title, field } of rankedPairs(columns.filter(isOpen))) add(title, field)
  for (const { title, field } of columns.filter(isOpen).flatMap(misread)) add(title, field)
  // Places that do not contain all parts are read as only the street or only the city.
  for (const { title, tally } of isOwn ? [] : columns)
    if (mapping[title] === 'streetAddress' && tally.count('fullAddress') > 0) mapping[title] = 'fullAddress'
    else if (mapping[title] === 'city' && !mapped.has('state') && fits('cityStateZip', tally))
      mapping[title] = 'cityStateZip'
    else if (mapping[title] === 'latitude' && !mapped.has('longitude')) delete mapping[title]
  for (const { title, examples } of columns.filter(isOpen))
    if (isOfGroups(title) && examples.every(isStageLike)) add(title, 'stage')
  for (const [field, content] of byContent) {
    if (field === 'id' && !isConfirmed) continue
    const found = columns.find(
      (column) => isOpen(column) && meaningsOf(column.title) === undefined && column.tally.all(content),
    )
    if (found !== undefined) add(found.title, field)
  }
  return { ...mapping }
}

/** Value patterns that identify the field of an untitled column if all values match. */
const byContent = [
  ['id', 'id'],
  ['coordinates', 'coordinates'],
  ['state', 'state'],
  ['proposalLink', 'url'],
] as const

const isStageLike = (name: string) => placeOfWords(name) !== null || !isMoving(classifyStage(name).kind)

/**
 * Returns whether a column contains the deal ids although another column, which may number the rows, is
 * titled `id`.
 */
const isOtherId = ({ title, tally }: SourceColumn, isAny: boolean) =>
  title !== 'id' &&
  fits('id', tally) === true &&
  candidatesOf(title).some(({ field, rank }) => field === 'id' && (isAny || rank < rankOfId))

const rankOfId = candidatesOf('id')[0]!.rank

const isOfWork = (text: string) => isStageLike(text) || /^(?:open|won|closed|active|draft|new)$/i.test(text)

/** Returns whether a column has values but none of them can be an id. */
const hasNoNumber = (tally: ColumnTally) =>
  tally.filled > 0 && tally.count('number') + tally.count('id') === 0

const known = new Set(columnFields)

/**
 * Returns whether a title is the name of a field and needs no suggestion. The fields of a person are in
 * several columns.
 */
const isField = (title: string) =>
  known.has(title) &&
  !(Object.hasOwn(dealFields, title) && dealFields[title as keyof typeof dealFields].kind === 'person')

function rankedPairs(columns: SourceColumn[]): { title: string; field: string }[] {
  return columns
    .flatMap(({ title, tally }) => {
      if (meaningsOf(title) !== undefined) return []
      const isTimed = zoneOfTitle(title).zone !== null
      return candidatesOf(title.replace(/ \(\d{1,4}\)$/, '')).flatMap(({ field, rank }) => {
        const isFit = fits(field, tally)
        if (isFit === false || (isTimed && valueKindOf(field) !== 'time')) return []
        return [{ title, field, rank, isFit, filled: tally.filled }]
      })
    })
    .toSorted((a, b) => Number(b.isFit) - Number(a.isFit) || a.rank - b.rank || b.filled - a.filled)
}

/**
 * Returns the most likely field of a column whose values do not fit, so that they are listed as unreadable.
 * For example, dates may lack the year.
 */
function misread({ title, tally }: SourceColumn): { title: string; field: string }[] {
  if (tally.filled === 0 || meaningsOf(title) !== undefined) return []
  const hasDigits = tally.count('digits') * 2 >= tally.filled
  const found = candidatesOf(title).find(({ field, rank }) => {
    const kind = valueKindOf(field)
    if (kind === 'id') return !hasNoNumber(tally)
    return kind === 'time' || kind === 'number' ? hasDigits : kind === 'flag' && rank < 1 && !hasDigits
  })
  return found === undefined ? [] : [{ title, field: found.field }]
}

function fits(field: string, tally: ColumnTally): boolean | null {
  if (tally.filled === 0) return null
  const most = (content: Parameters<ColumnTally['count']>[0]) => tally.count(content) * 2 >= tally.filled
  const isNumeric = most('number') && !most('money')
  if (field.endsWith('.email') || field === 'hoaEmail') return most('email')
  if (field === 'systemSize') return tally.examples.some((text) => size.test(text))
  // A person without a name is written as an e-mail address.
  if (field.endsWith('.name')) return !most('date') && !most('url') && !isNumeric
  if (field === 'latitude' || field === 'longitude') return most('number')
  if (field === 'cityStateZip' || field === 'fullAddress') return most(field)
  // `Permit` and `OPEN` are states of the work, not U.S. states.
  if (field === 'state') return tally.count('state') > 0 || !tally.examples.some(isOfWork)
  if (field === 'stage' && tally.all('state')) return false
  switch (valueKindOf(field)) {
    case 'id':
      return (isNumeric || most('id')) && !most('date')
    case 'number':
      return most('number')
    case 'flag':
      return most('flag') && (tally.all('flag') || !tally.all('count'))
    case 'time':
      // Spreadsheets write an unformatted date as a five-digit number.
      return most('date') || (isNumeric && most('zip'))
    case 'link':
      return most('url') || !isNumeric
    case 'numericText':
      if (counts.has(field)) return most('number')
      return !most('date') && !most('email') && !most('url')
    default:
      if (most('date') || most('url') || most('email')) return field === 'notes'
      if (namesOfThings.has(field)) return !tally.all('flag') && !tally.all('count')
      return !words.has(field) || !most('number')
  }
}

/** Text fields that do not fit columns of only flags or counts. */
const namesOfThings = new Set(['battery', 'hoaName', 'inverterType', 'moduleType'])
/** Text fields that do not fit columns of numbers. */
const words = new Set('dealname firstName lastName stage city closerName setterName lender'.split(' '))
const counts = new Set(['numberOfBatteries', 'numberOfInverters', 'numberOfModules'])

const size = /^\d[\d.,]{0,9} ?(?:[km]?wp?[ -]?(?:[ad]c|stc|cec|ptc)?|(?:kilo|mega)?watts?)?$/i

/** A column that is ignored unless a field is chosen, and the candidate fields, most likely first. */
export interface OpenColumn {
  title: string
  fields: string[]
}

/**
 * Completes the mapping from the dates of ambiguous columns, and returns the undecided columns. An install
 * date is a scheduled date if all dates are in the future, and probably one if some are.
 */
export function completeMapping(
  columns: readonly SourceColumn[],
  mapping: Mapping,
  { today, dayFirst }: { today: string; dayFirst: boolean | null },
): { mapping: Mapping; open: OpenColumn[] } {
  const complete = Object.assign(Object.create(null) as Mapping, mapping)
  const open: OpenColumn[] = []
  for (const { title, dates, tally } of columns) {
    const meanings = meaningsOf(title)
    if (meanings === undefined || Object.hasOwn(mapping, title)) continue
    const mapped = new Set([...Object.values(complete), ...columns.map((column) => column.title)])
    const fields = meanings.filter((field) => field === '' || !mapped.has(field))
    const order = dayFirst ?? tally.dateOrder()?.dayFirst
    const read = readerOf('time', order === undefined ? {} : { dayFirst: order })
    const days = dates.map(read).filter((day) => typeof day === 'string')
    const ahead = days.filter((day) => day.slice(0, 10) >= today).length
    const isSchedule = fields.includes('installedScheduled')
    const isAhead = isSchedule && ahead > 0 && ahead === days.length
    complete[title] = isAhead ? 'installedScheduled' : ''
    if (!isAhead && fields.some((field) => field !== ''))
      open.push({ title, fields: isSchedule && ahead > 0 ? fields.toReversed() : fields })
  }
  return { mapping: { ...complete }, open }
}

/** Returns the field that a column is read as, or an empty string if the column is ignored. */
export function fieldOf({ title, hidden }: Pick<SourceColumn, 'title' | 'hidden'>, mapping: Mapping): string {
  if (Object.hasOwn(mapping, title)) return mapping[title]!
  return hidden || !known.has(title) ? '' : title
}

/** The values that an import with this mapping would lose. */
export interface Losses {
  /** Columns with values but no chosen field. */
  lost: { title: string; filled: number; examples: string[] }[]
  /** Missing columns among `name` and `stage`. */
  lacks: ('name' | 'stage')[]
}

/**
 * Returns what an import with this mapping would lose. `fields` are the fields of the columns, empty for
 * ignored columns.
 */
export function lossesOf(
  columns: readonly SourceColumn[],
  mapping: Mapping,
  fields: readonly string[],
): Losses {
  // A table with field names as titles was made for an import, so nothing is missing.
  const isOwn = isOwnExport(columns.map(({ title }) => title))
  const isMade = isOwn || columns.every(({ title }, at) => fields[at] === title)
  const isLacking = (...names: string[]) => !isMade && !names.some((name) => fields.includes(name))
  return {
    lost: columns.flatMap(({ title, tally, examples, hidden, untitled }, at) => {
      const isRead =
        fields[at] !== '' ||
        hidden ||
        untitled !== undefined ||
        tally.filled === 0 ||
        (isOwn && derivedTitles.has(title))
      // Someone chose to ignore an ignored column that the mapping lists.
      return isRead || Object.hasOwn(mapping, title) ? [] : [{ title, filled: tally.filled, examples }]
    }),
    lacks: [
      ...(isLacking('dealname', 'firstName', 'lastName') ? (['name'] as const) : []),
      ...(isLacking('stage') ? (['stage'] as const) : []),
    ],
  }
}

const exportTitles = ['Deal ID', 'Deal']

/** Returns whether these are the titles of an export of deals from the portal. */
export const isOwnExport = (titles: readonly string[]) =>
  exportTitles.every((title) => titles.includes(title))

/** Titles in exports of deals whose values are derived from other fields. */
const derivedTitles = new Set(
  'Full address, Days in stage, Next step, Waiting on, Who has it, Expected payment, Assigned to, Partner name'.split(
    ', ',
  ),
)

/**
 * Returns the key of a stored mapping. The key contains the titles in any order, and which columns are
 * hidden.
 */
export function headerKey(columns: readonly { title: string; hidden?: boolean }[]): string {
  const titles = columns.map(({ title, hidden }) => (hidden ? `${title} (hidden)` : title))
  return createHash('sha256').update(JSON.stringify(titles.toSorted())).digest('hex')
}

const namedMax = 10

/** Returns the problem of the mapping for these columns, or null. */
export function mappingProblem(
  columns: readonly Pick<SourceColumn, 'title' | 'examples' | 'hidden'>[],
  mapping: Mapping,
): string | null {
  const targets = columns.map((column) => fieldOf(column, mapping))
  if (!targets.includes('id')) return noIdProblem(columns)
  const twice = targets.find((target, index) => target !== '' && targets.indexOf(target) !== index)
  if (twice !== undefined) return `Two columns are read as ${twice}.`
  return null
}

function noIdProblem(columns: readonly Pick<SourceColumn, 'title' | 'examples'>[]): string {
  const other = columns.find(
    ({ title, examples }) => examples.length > 0 && candidatesOf(title)[0]?.field === 'id',
  )
  const why =
    other === undefined
      ? ''
      : ` Values of ${JSON.stringify(other.title)} such as ${quoted(other.examples[0]!)} are not whole numbers. Add a column with a whole number for each deal, such as an auto-number field.`
  const titles = columns.slice(0, namedMax).map(({ title }) => title)
  const more = columns.length > namedMax ? ', …' : ''
  return `No column is read as the deal's id.${why} Name it "id" or "Deal ID". Columns found: ${titles.join(', ')}${more}.`
}
