import {
  createLoader,
  createParser,
  createSerializer,
  type GenericParserBuilder,
  type inferParserType,
  parseAsInteger,
  parseAsNativeArrayOf,
  parseAsStringLiteral,
} from 'nuqs/server'
import { cutText, parseAsSort } from '#app/page-query.ts'
import type { FlagField, TimeField } from '#server/deals/columns.ts'
import { type DealField, type ValueField, valueFields } from '#server/deals/deal.ts'
import type { DerivedColumn } from '#server/deals/derived-columns.ts'
import {
  parseArea,
  parseFilter,
  parseNames,
  parseRange,
  parseWaits,
  type RelativeDays,
  filterOn,
} from '#server/search/filter-text.ts'
import {
  type Filter,
  type FilterParam,
  filters,
  type FilterInput,
  type Mark,
  markNames,
  missableNumbers,
  type ValueOf,
  type NewsKind,
} from '#server/search/filters.ts'
import type { DealFilter, DealSort } from '#server/search/wire.ts'
import { parseDateChoice } from '#server/values/day-choice.ts'
import {
  type ColumnId,
  columnIds,
  columnsOf,
  derivedColumn,
  sortFields,
  standardColumnsFor,
  standardSort,
} from './columns.ts'
import { nameFields } from './deal-text.ts'
import { labelledFlagFields, labelledRoleFields, labelledTimeFields } from './fields.ts'

const valueMax = 200

const parseAsValue = createParser({ parse: (text) => cutText(text, valueMax), serialize: String })
const parseAsValues = parseAsNativeArrayOf(parseAsValue)
// The current day does not affect which date choices are valid.
const parseAsDays = createParser({ parse: (text) => parseDateChoice(text) && text, serialize: String })

/** Returns a parser whose values are equal if their texts are. */
const parserBy = <Value>(parse: (text: string) => Value | null, serialize: (value: Value) => string) =>
  createParser<Value>({ parse, serialize, eq: (a, b) => serialize(a) === serialize(b) })

/** Parses comma-separated names without duplicates: a URL could repeat a name thousands of times. */
const parseAsSet = <const Name extends string>(names: readonly Name[]) =>
  parserBy<Name[]>((text) => parseNames(text, names), String)

const textOfArea = ({ west, south, east, north }: NonNullable<DealFilter['area']>) =>
  String([west, south, east, north].map((degrees) => Number(degrees.toFixed(4))))

const labelled = {
  time: labelledTimeFields,
  flag: labelledFlagFields,
  role: labelledRoleFields,
  missable: [...labelledTimeFields, ...missableNumbers],
}

/** Returns the names that a filter accepts, in display order. */
export const namesOf = (names: Readonly<Record<string, string>> | keyof typeof labelled): readonly string[] =>
  typeof names === 'string' ? labelled[names] : Object.keys(names)

function parserOf(filter: Filter) {
  switch (filter.kind) {
    case 'search':
      return parseAsValue.withDefault('')
    case 'texts':
    case 'values':
      return parseAsValues
    case 'names':
      return parseAsSet(namesOf(filter.names)).withDefault([])
    case 'flags':
      return parseAsSet(labelledFlagFields).withDefault([])
    case 'marks':
      return parseAsSet(markNames).withDefault([])
    case 'waits':
      return parserBy(parseWaits, (waits) => String(Object.entries(waits).map((pair) => pair.join(':'))))
    case 'range':
      return parserBy(parseRange, ({ min, max }) => `${min ?? ''}..${max ?? ''}`)
    case 'area':
      return parserBy(parseArea, textOfArea)
    case 'days':
      return parseAsDays
  }
}

/** Returns the query parameters of a filter: the filter's name, or the names of its fields. */
export function paramsOf(name: string, filter: Filter): readonly string[] {
  if (filter.kind === 'values') return valueFields
  return filter.kind === 'days' ? namesOf(filter.names) : [name]
}

type StateOf<Each extends Filter> = Each extends { kind: 'search' | 'texts' | 'names' }
  ? ValueOf<Each>
  : Each extends { kind: 'flags' }
    ? FlagField[]
    : Each extends { kind: 'marks' }
      ? Mark[]
      : ValueOf<Each> | null

/** Parsed query parameters of the filters; null or empty if not set. */
export type FilterState = { [Name in FilterParam]: StateOf<(typeof filters)[Name]> } & Record<
  TimeField | NewsKind,
  string | null
> &
  Record<ValueField, string[]>

const filterParsers = Object.fromEntries(
  Object.entries<Filter>(filters).flatMap(([name, filter]) =>
    paramsOf(name, filter).map((param) => [param, parserOf(filter)]),
  ),
) as unknown as {
  [Name in keyof FilterState]: null extends FilterState[Name]
    ? GenericParserBuilder<NonNullable<FilterState[Name]>>
    : GenericParserBuilder<FilterState[Name]> & { readonly defaultValue: FilterState[Name] }
}

const viewParsers = {
  sort: parseAsSort(sortFields),
  columns: parseAsSet(columnIds),
  density: parseAsStringLiteral(['comfortable', 'compact']).withDefault('comfortable'),
}

/** Query parameters of the deals page. `view` is the ID of the opened view. */
export const dealsParsers = { ...filterParsers, ...viewParsers, view: parseAsInteger }

export type DealsState = inferParserType<typeof dealsParsers>

/** Parses the query of a `Request`, a URL, `URLSearchParams`, or Next's page parameters. */
export const readDealsQuery = createLoader(dealsParsers)

const serializeDeals = createSerializer(dealsParsers)
const serializeView = createSerializer({ ...filterParsers, ...viewParsers })

/** Returns the URL of the deals page, or of another page of deals. Omitted parameters have their defaults. */
export const dealsHref = (
  state: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }> = {},
  path = '/deals',
) => serializeDeals(path, state)

/** Returns the query string of a view without the question mark. */
export const viewQuery = (state: { [Name in keyof DealsState]: DealsState[Name] | null }) =>
  serializeView(state).replace(/^\?/, '')

/** Normalizes the query of a view, so that equivalent queries are equal strings. */
export const normalQuery = (query: string) =>
  viewQuery(readDealsQuery(new URLSearchParams(query)) as DealsState)

/** The state with all filters removed. */
export const noFilter = Object.fromEntries(Object.keys(filterParsers).map((name) => [name, null])) as {
  [Name in keyof FilterState]: null
}

const parseState = (state: FilterState) => parseFilter(new URLSearchParams(serializeView(state)), namesOf)

/** Returns the API filter. Dates such as "last 7 days" are relative to `today` (`YYYY-MM-DD`, UTC). */
export function filterOf(state: FilterState, today: string): FilterInput {
  const { filter, relativeDays } = parseState(state)
  return filterOn(filter, relativeDays, today)
}

/** Returns the date filters that are relative to the current day, such as "last 7 days". */
export const relativeDaysOf = (state: FilterState): RelativeDays => parseState(state).relativeDays

export const sortOf = ({ sort }: Pick<DealsState, 'sort'>): DealSort => sort ?? standardSort

/** Number of deals per request. */
export const pageSize = 50

function fieldsOf(column: ColumnId): readonly (DealField | DerivedColumn)[] {
  if (column === 'dealname') return nameFields
  return [derivedColumn(column)?.from ?? (column as DealField)]
}

/** Returns the procedure's input, always with the default columns, which cards need. */
export function findInput(state: DealsState, today: string, seesAllPartners: boolean) {
  const fields = [
    ...new Set<DealField | DerivedColumn>([
      ...[...standardColumnsFor(seesAllPartners), ...columnsOf(state, seesAllPartners)].flatMap(fieldsOf),
      'isUnseen',
    ]),
  ].toSorted()
  return { filter: filterOf(state, today), sort: sortOf(state), fields, limit: pageSize }
}
