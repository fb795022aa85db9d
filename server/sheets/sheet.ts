import { type DealField, dealFields } from '../deals/deal.ts'
import type { DerivedColumn } from '../deals/derived-columns.ts'
import { blockerText, responsibleText } from '../deals/labels.ts'
import type { RelativeDays } from '../search/filter-text.ts'
import type { FilterInput } from '../search/filters.ts'
import type { ExportedDeal } from '../search/read-rows.ts'
import type { DealSort } from '../search/wire.ts'
import { feedCsvLines } from '../values/csv.ts'
import { type Moment, type Zone, dayOf, readTime, wallClock } from '../values/zone.ts'

/** The content of a sheet: the filter, sort order, and columns that a view had when the link was created. */
export interface Sheet {
  filter: FilterInput
  relativeDays: RelativeDays
  sort: DealSort
  columns: SheetColumn[]
}

/** A column of the view and its title in the portal. */
export interface SheetColumn {
  column: SheetColumnName
  title: string
}

/** How a spreadsheet should interpret a column. Ids, ZIP codes, and phone numbers are text. */
export type SheetKind = 'text' | 'number' | 'day' | 'time'

interface CsvColumn {
  title: string
  kind: SheetKind
  cell: (deal: ExportedDeal, zone: Zone) => string
}

interface Derived {
  from: DerivedColumn
  /** Returns the columns of the CSV for this column. Days get a column separate from text. */
  columnsOf: (title: string) => CsvColumn[]
}

const text = (title: string, cell: CsvColumn['cell']): CsvColumn => ({ title, kind: 'text', cell })
const day = (title: string, timeOf: (deal: ExportedDeal) => string | null | undefined): CsvColumn => ({
  title,
  kind: 'day',
  cell(deal, zone) {
    const time = timeOf(deal)
    return time == null ? '' : dayOf(time, zone)
  },
})

/** Columns of a view that are not fields of a deal. */
const derived = {
  milestone: {
    from: 'milestone',
    columnsOf: (title) => [
      text(title, ({ milestone }) => (milestone != null && 'label' in milestone ? milestone.label : '')),
      day(`${title} day`, ({ milestone }) =>
        milestone != null && 'time' in milestone ? milestone.time : null,
      ),
    ],
  },
  held: { from: 'held', columnsOf: (title) => [text(title, ({ held }) => blockerText(held))] },
  holder: { from: 'held', columnsOf: (title) => [text(title, ({ held }) => responsibleText(held))] },
  payment: {
    from: 'payment',
    columnsOf: (title) => [
      day(`${title} from`, ({ payment }) => (payment?.kind === 'expected' ? payment.from : null)),
      day(`${title} to`, ({ payment }) => (payment?.kind === 'expected' ? payment.to : null)),
      day('Paid since', ({ payment }) => (payment?.kind === 'paid' ? payment.since : null)),
    ],
  },
  assignee: { from: 'assignee', columnsOf: (title) => [text(title, ({ assignee }) => assignee ?? '')] },
} as const satisfies Record<string, Derived>

type DerivedName = keyof typeof derived
type SheetColumnName = DealField | DerivedName

const isDerived = (name: SheetColumnName): name is DerivedName => Object.hasOwn(derived, name)

/** Names of all columns that a sheet can have. */
export const sheetColumnNames = [
  ...(Object.keys(dealFields) as DealField[]),
  ...(Object.keys(derived) as DerivedName[]),
] as const

/** Returns the derived columns that a sheet needs. */
export const derivedIn = (columns: readonly SheetColumn[]): DerivedColumn[] => [
  ...new Set(columns.flatMap(({ column }) => (isDerived(column) ? derived[column].from : []))),
]

/** Returns the columns of a sheet's CSV. */
export const csvColumnsOf = (columns: readonly SheetColumn[]): CsvColumn[] =>
  columns.flatMap(({ column, title }) =>
    isDerived(column) ? derived[column].columnsOf(title) : [fieldColumn(column, title)],
  )

function fieldColumn(field: DealField, title: string): CsvColumn {
  switch (dealFields[field].kind) {
    case 'time':
      return {
        title,
        kind: 'time',
        cell: (deal, zone) => (deal[field] == null ? '' : timeText(deal[field] as string, zone)),
      }
    case 'double':
    case 'money':
      return { title, kind: 'number', cell: (deal) => String(deal[field] ?? '') }
    case 'flag':
      return text(title, (deal) => flagText((deal[field] ?? null) as boolean | null))
    case 'person':
      return text(title, (deal) => nameOf(deal[field] as PersonName | null))
    default:
      return text(title, (deal) => String(deal[field] ?? ''))
  }
}

function flagText(flag: boolean | null): string {
  if (flag === null) return ''
  return flag ? 'yes' : 'no'
}

interface PersonName {
  firstName: string | null
  lastName: string | null
  email: string | null
}

const nameOf = (person: PersonName | null) =>
  person === null ? '' : [person.firstName, person.lastName].filter(Boolean).join(' ') || (person.email ?? '')

/**
 * Formats a time so that spreadsheets recognize it: `2026-03-01 17:20:05`, or `2026-03-01` for a date without
 * a time.
 */
function timeText(time: Moment, zone: Zone): string {
  const { ms, isDate, zone: readIn } = readTime(time, zone)
  const shown = wallClock(ms, readIn)
  return isDate ? shown.slice(0, 10) : shown
}

/** Formats rows as lines of CSV for programs that import a feed. */
export const feedLines = (columns: readonly Pick<CsvColumn, 'kind'>[], rows: string[][]): string =>
  feedCsvLines(
    rows,
    columns.map(({ kind }) => kind === 'text'),
  )

/** Returns the titles as the first line of the CSV. */
export const feedHead = (columns: readonly CsvColumn[]): string =>
  feedCsvLines(
    [columns.map(({ title }) => title)],
    columns.map(() => true),
  )
