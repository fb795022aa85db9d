import { z } from 'zod'
import { flagFields, roleFields, timeFields } from '../deals/columns.ts'
import { type DealField, dealFields, valueFields } from '../deals/deal.ts'
import { derivedColumns } from '../deals/derived-columns.ts'
import { stepsNow } from '../deals/flow.ts'
import { chosenMax } from '../deals/policy.ts'
import type { SimilarWords } from '../deals/search-text.ts'
import { GetDeal } from '../deals/wire.ts'
import type { StageKind, StageTone } from '../stages/stage.ts'
import type { ResolvedPlaces } from '../values/counties.ts'
import { parseDays } from '../values/day-choice.ts'
import { BigRowId, text } from '../values/input.ts'
import { parseInt64 } from '../values/int64.ts'
import { toTime } from '../values/time.ts'
import type { Tally } from '../values/units.ts'
import {
  type Filter,
  type FilterInput,
  filters,
  keyOfMark,
  markNames,
  missableNumbers,
  newsKinds,
} from './filters.ts'
import type { ColumnParameters } from './parameters.ts'

const texts = z.array(text(200)).max(200)
// PostgreSQL has no year 0.
const day = z.iso.date().refine((date) => date >= '0001', { error: 'must be in the year 1 or later' })
const latitude = z.number().min(-90).max(90)
const longitude = z.number().min(-180).max(180)
const Area = z.object({ west: longitude, south: latitude, east: longitude, north: latitude })
const Range = z.object({ min: z.number().optional(), max: z.number().optional() })

/** First and last day in the caller's time zone. */
const DayRange = z.object({ from: day.optional(), to: day.optional() })

const fieldsOf = {
  time: timeFields,
  flag: flagFields,
  role: roleFields,
  missable: [...timeFields, ...missableNumbers],
} as const

/** Returns the names that a filter accepts. */
export const namesOf = (names: Readonly<Record<string, string>> | keyof typeof fieldsOf): readonly string[] =>
  typeof names === 'string' ? fieldsOf[names] : Object.keys(names)

/** Returns the input schemas of a filter, by key. */
function schemasOf(filter: Filter): Record<string, z.ZodType> {
  switch (filter.kind) {
    case 'search':
      return { [filter.key]: text(200) }
    case 'texts':
      return { [filter.key]: texts }
    case 'names': {
      const known = namesOf(filter.names)
      return { [filter.key]: z.array(z.enum(known)).max(filter.max ?? known.length) }
    }
    case 'flags':
      return { flags: z.partialRecord(z.enum(flagFields), z.boolean()) }
    case 'marks':
      return Object.fromEntries(markNames.map((mark) => [keyOfMark(mark), z.literal(true)]))
    case 'waits':
      return { [filter.key]: z.partialRecord(z.enum(stepsNow), z.int().min(0).max(100_000)) }
    case 'range':
      return { [filter.key]: Range }
    case 'area':
      return { [filter.key]: Area }
    case 'days':
      return { [filter.key]: z.partialRecord(z.enum(namesOf(filter.names)), DayRange) }
    case 'values':
      return { values: z.partialRecord(z.enum(valueFields), texts) }
  }
}

/** A filter of deals. A deal must match all conditions. A list matches any of its values. */
export const DealFilter = z
  .object(Object.assign({}, ...Object.values(filters).map(schemasOf)) as Record<string, z.ZodType>)
  .partial() as z.ZodType<FilterInput, FilterInput>
export interface DealFilter extends FilterInput {
  /** The signed-in user's e-mail address, for `isMine`. Never sent by clients. */
  viewerEmail?: string | undefined
  /** The signed-in user's id, for `isMine` and the assignee `me`. Never sent by clients. */
  viewerId?: number | undefined
  /** The counties of `places` and `area`. Never sent by clients. */
  resolvedPlaces?: ResolvedPlaces | undefined
  /** Parameters that only the REST search has. Never sent by clients. */
  columns?: ColumnParameters | undefined
  /** An additional filter that deals must match. Never sent by clients. */
  within?: DealFilter | undefined
  /** Words similar to those of `search`, at least one of which a deal must contain. Never sent by clients. */
  similarWords?: SimilarWords | undefined
}

const DayChoice = text(40).refine((choice) => parseDays(choice, '2026-01-01') !== null, {
  error: 'must be a choice of days',
})

/** The days of a filter that are relative to the day on which the filter is used. */
export const RelativeDays = z
  .object({
    dates: z.partialRecord(z.enum(timeFields), DayChoice),
    news: z.partialRecord(z.enum(newsKinds), DayChoice),
  })
  .partial()

/** Fields that deals can be sorted by. */
export const sortFields = [
  'dealname',
  'city',
  'state',
  'stage',
  'pipeline',
  'amount',
  'systemSize',
  ...timeFields,
] as const
export type SortField = (typeof sortFields)[number]

export const DealSort = z.object({ field: z.enum(sortFields), direction: z.enum(['asc', 'desc']) })
export type DealSort = z.infer<typeof DealSort>

/** Sorts the most recently changed deals first. */
export const initialSort: DealSort = { field: 'lastModified', direction: 'desc' }

/** Position where the next page begins: the last deal's sort key, or null if unknown, and the deal's id. */
export interface Cursor {
  key: string | null
  id: bigint
  /** True if every index has too many candidates, so the scan continues. */
  isLong?: boolean
}

/** Parses a cursor. Returns null if the text is not a cursor. */
export function parseCursor(text: string): Cursor | null {
  const [, mark, digits = '', hasKey, key] = /^(~?)(-?\d{1,19})(?:(:)(.*))?$/s.exec(text) ?? []
  const id = parseInt64(digits)
  if (id === null) return null
  return { key: hasKey === undefined ? null : key!, id, ...(mark === '~' && { isLong: true }) }
}

/** Problem text for a cursor that no page returned. */
export const notCursor = 'must be the `next` of the previous page'

const CursorText = text(1000).transform((text, context): Cursor => {
  const cursor = parseCursor(text)
  if (cursor !== null) return cursor
  context.addIssue({ code: 'custom', message: notCursor })
  return z.NEVER
})

/** Returns the cursor as text for clients. */
export const cursorText = ({ key, id, isLong }: Cursor) =>
  `${isLong === true ? '~' : ''}${id}${key === null ? '' : `:${key}`}`

/** Returns true if the text is a valid sort key of the field in the format of the database. */
export function isKeyOf(field: SortField | 'id', key: string): boolean {
  if (field === 'id') return parseInt64(key) !== null
  switch (dealFields[field].kind) {
    case 'money':
      return isNumber(key)
    case 'time':
      return (
        key >= '0001' &&
        /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)?$/.test(key) &&
        toTime(`${key.slice(0, 10)}T${key.slice(11, 19) || '00:00:00'}Z`) !== null
      )
    default:
      return field !== 'systemSize' || isNumber(key)
  }
}

const isNumber = (text: string) => /^-?\d[\d.e+-]*$/.test(text) && Number.isFinite(Number(text))

const SortedDeals = z.object({ filter: DealFilter.default({}), sort: DealSort.default(initialSort) })

export const ExportDeals = SortedDeals.extend({
  /** Derived columns to add to each deal. All fields of the deal are included. */
  derived: z.array(z.enum(derivedColumns)).max(derivedColumns.length).default([]),
  /** Exports exactly these deals in this order, regardless of the filter. */
  ids: z.array(GetDeal.shape.id).max(chosenMax).optional(),
})

/** Columns to return for each deal besides its id. */
const RowFields = z
  .array(z.enum([...(Object.keys(dealFields) as DealField[]), ...derivedColumns]))
  .min(1)
  .max(100)

export const FindDeals = SortedDeals.extend({
  fields: RowFields,
  cursor: CursorText.nullish(),
  limit: z.int().min(1).max(100).default(50),
}).refine(
  ({ cursor, sort }) => cursor?.key === undefined || cursor.key === null || isKeyOf(sort.field, cursor.key),
  { path: ['cursor'], error: notCursor },
)

export const FindSimilar = SortedDeals.extend({
  fields: RowFields,
  limit: z.int().min(1).max(50).default(50),
})

/** A stage and its matching deals. `stage` is empty for deals without a stage. */
export interface BoardColumn {
  stage: string
  kind: StageKind
  tone: StageTone
  count: number
  /** True if there may be more deals than `count`. */
  isMore: boolean
  /** Total amount of the deals in dollars, or null if unknown. */
  amount: number | null
  /** Number of deals without an amount, or null if unknown. */
  withoutAmount: number | null
}

export const CountDeals = z.object({ filter: DealFilter.default({}) })

/** Matching deals within the map's viewport. */
export const FindPoints = CountDeals.extend({ within: Area })

/** Displayed deals to refresh. */
export const RefreshDeals = z.object({
  ids: z.array(GetDeal.shape.id).min(1).max(200),
  filter: DealFilter.default({}),
  fields: RowFields,
})

export const FindNeighbours = SortedDeals.extend({ id: GetDeal.shape.id })

export const DealHistory = z.object({
  id: GetDeal.shape.id,
  /** Returns only events before this sequence number. */
  before: BigRowId.nullish(),
})

/** Matching deals in a county. */
export interface CountyFigure extends Tally {
  /** Five-digit FIPS code. */
  id: string
  /** `Maricopa, AZ`. */
  place: string
  /** `Arizona`. */
  state: string
}

/** Locations of the matching deals. */
export interface DealMap {
  /** Counties with matching deals, most deals first. */
  counties: CountyFigure[]
  /** Deals without usable coordinates. */
  unplaced: Tally
  /** True if there may be more matching deals than could be read. */
  isMore: boolean
  /** Time of the counts (ISO 8601) if older than the list, or null if current. */
  asOf: string | null
}

/** A deal on the map. */
export interface DealPoint {
  id: string
  dealname: string | null
  firstName: string | null
  lastName: string | null
  latitude: number
  longitude: number
  stage: string | null
  amount: number | null
}

/** Deals on the map. */
export interface DealPoints {
  deals: DealPoint[]
  /** True if there are more deals than these. */
  isMore: boolean
}
