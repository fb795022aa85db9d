import {
  createLoader,
  createParser,
  createSerializer,
  type inferParserType,
  parseAsInteger,
  parseAsNativeArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'
import type { DealField } from '#server/deals/deal.ts'
import type { FlagField, TimeField } from '#server/deals/find/columns.ts'
import { type NewsKind, newsKinds } from '#server/deals/find/news.ts'
import { type ValueField, valueFields } from '#server/deals/find/value-field.ts'
import type { DealFilter, DealSort, SortField } from '#server/deals/find/wire.ts'
import { type StepNow, flowSteps, lastStepsNow, stepsNow } from '#server/deals/milestones/flow.ts'
import { courseMilestones } from '#server/deals/milestones/milestone.ts'
import { openGates, fieldHolds } from '#server/deals/milestones/money.ts'
import { parseAsArea } from './area.ts'
import { type Days, parseDateChoice, parseDays } from './dates.ts'
import { fieldLabels, labelledFlagFields, labelledRoleFields, labelledTimeFields } from './field-labels.ts'

/**
 * A column: a field or a derived column; some only exist for viewers of all partners. `dealname` also shows
 * the street address.
 */
export type ColumnId = DealField | DerivedColumn

/** The next milestone, what holds the deal, who has it, and its partner. */
export const derivedColumns = ['milestone', 'held', 'holder', 'partner'] as const
type DerivedColumn = (typeof derivedColumns)[number]

export const columnIds: readonly ColumnId[] = [
  ...(Object.keys(fieldLabels) as DealField[]),
  ...derivedColumns,
]

/** The default columns. */
export const standardColumns: readonly ColumnId[] = [
  'dealname',
  'stage',
  'timeInCurrentStage',
  'systemSize',
  'amount',
  'milestone',
  'lastModified',
]

/** Returns the default columns for those who see the deals of all partners at once, or of one. */
export const standardColumnsFor = (seesAllPartners: boolean) =>
  seesAllPartners ? standardColumns.toSpliced(1, 0, 'partner') : standardColumns

const sortFields: readonly SortField[] = [
  'dealname',
  'city',
  'state',
  'stage',
  'pipeline',
  'amount',
  'systemSize',
  ...labelledTimeFields,
]

/** The default order, the same as the procedure's. */
export const standardSort: DealSort = { field: 'lastModified', direction: 'desc' }

export const isSortable = (column: ColumnId): column is SortField =>
  (sortFields as readonly string[]).includes(column)

/** A range; either end may be open. */
export interface Range {
  min?: number
  max?: number
}

const valueMax = 200
const valuesMax = 200

const parseAsValue = createParser({ parse: (text) => cutText(text, valueMax), serialize: String })
const parseAsValues = parseAsNativeArrayOf(parseAsValue)
const parseAsFlags = parseAsSet(labelledFlagFields).withDefault([])
const parseAsRoles = parseAsSet(labelledRoleFields).withDefault([])
const parseAsTimes = parseAsSet(labelledTimeFields).withDefault([])
const parseAsSteps = parseAsSet(courseMilestones).withDefault([])
const parseAsGates = parseAsSet(openGates).withDefault([])
const parseAsHolds = parseAsSet(fieldHolds).withDefault([])
const parseAsStandings = parseAsSet(['open', 'late', 'lost', 'mine', 'undated'] as const).withDefault([])
// The day does not matter for validity.
const parseAsDays = createParser({
  parse: (text) => (parseDateChoice(text) === null ? null : text),
  serialize: String,
})

/** Parses comma-separated names without duplicates: a URL has room for thousands, and each would be shown. */
function parseAsSet<const Name extends string>(names: readonly Name[]) {
  return createParser<Name[]>({
    parse: (text) =>
      [...new Set(text.split(','))].filter((name): name is Name =>
        (names as readonly string[]).includes(name),
      ),
    serialize: (given) => given.join(','),
    eq: (a, b) => a.length === b.length && a.every((name, index) => name === b[index]),
  })
}

const parseAsRange = createParser<Range>({
  parse(text) {
    const [, min, max] = /^(-?\d{0,12}(?:\.\d{1,6})?)\.\.(-?\d{0,12}(?:\.\d{1,6})?)$/.exec(text) ?? []
    const range = { ...numberAt('min', min), ...numberAt('max', max) }
    return Object.keys(range).length === 0 ? null : range
  },
  serialize: ({ min, max }) => `${min ?? ''}..${max ?? ''}`,
  eq: (a, b) => a.min === b.min && a.max === b.max,
})

// JSON has no -0.
const numberAt = (end: 'min' | 'max', text: string | undefined): Range =>
  text === undefined || !/\d/.test(text) ? {} : { [end]: Number(text) || 0 }

const parseAsSort = createParser<DealSort>({
  parse(text) {
    const field = sortFields.find((each) => each === text.replace(/^-/, ''))
    return field === undefined ? null : { field, direction: text.startsWith('-') ? 'desc' : 'asc' }
  },
  serialize: ({ field, direction }) => (direction === 'desc' ? `-${field}` : field),
  eq: (a, b) => a.field === b.field && a.direction === b.direction,
})

/** Parses the fewest days in each step: `permit:24,install:41`. */
const parseAsWaits = createParser<Partial<Record<StepNow, number>>>({
  parse(text) {
    const waits = text.split(',').flatMap((part) => {
      const [, step, days] = /^(\w+):(\d{1,5})$/.exec(part) ?? []
      return stepsNow.some((each) => each === step) ? [[step, Number(days)]] : []
    })
    return waits.length === 0 ? null : (Object.fromEntries(waits) as Partial<Record<StepNow, number>>)
  },
  serialize: textOfPairs,
  eq: (a, b) => textOfPairs(a) === textOfPairs(b),
})

function textOfPairs(pairs: Partial<Record<string, number>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}:${value}`)
    .join(',')
}

/** The minimum and maximum width of a column, in pixels. */
export const widthMin = 72
export const widthMax = 640

const parseAsWidths = createParser<Partial<Record<ColumnId, number>>>({
  parse: (text) =>
    Object.fromEntries(
      text.split(',').flatMap((part) => {
        const [, column, width] = /^(\w+):(\d{1,4})$/.exec(part) ?? []
        return columnIds.some((each) => each === column)
          ? [[column, Math.min(widthMax, Math.max(widthMin, Number(width)))]]
          : []
      }),
    ),
  serialize: textOfPairs,
})

const dateParsers = Object.fromEntries(labelledTimeFields.map((field) => [field, parseAsDays])) as Record<
  TimeField,
  typeof parseAsDays
>

const newsParsers = Object.fromEntries(newsKinds.map((kind) => [kind, parseAsDays])) as Record<
  NewsKind,
  typeof parseAsDays
>

const valueParsers = Object.fromEntries(valueFields.map((field) => [field, parseAsValues])) as Record<
  ValueField,
  typeof parseAsValues
>

const filterParsers = {
  q: parseAsString.withDefault(''),
  stage: parseAsValues,
  pipeline: parseAsValues,
  state: parseAsValues,
  place: parseAsValues,
  area: parseAsArea,
  person: parseAsValues,
  role: parseAsRoles,
  of: parseAsValues,
  yes: parseAsFlags,
  no: parseAsFlags,
  has: parseAsTimes,
  lacks: parseAsSet([...labelledTimeFields, 'amount', 'systemSize', 'totalPpw']).withDefault([]),
  done: parseAsSteps,
  todo: parseAsSteps,
  late: parseAsSteps,
  gate: parseAsGates,
  hold: parseAsHolds,
  wait: parseAsWaits,
  took: parseAsSet(flowSteps).withDefault([]),
  reached: parseAsSet(lastStepsNow).withDefault([]),
  is: parseAsStandings,
  ...dateParsers,
  ...valueParsers,
  amount: parseAsRange,
  size: parseAsRange,
  ...newsParsers,
}

const viewParsers = {
  sort: parseAsSort,
  columns: parseAsSet(columnIds),
  widths: parseAsWidths,
  density: parseAsStringLiteral(['comfortable', 'compact']).withDefault('comfortable'),
}

/** The query of the deals page, which determines all that it shows. `view` is the view that was opened. */
export const dealsParsers = { ...filterParsers, ...viewParsers, view: parseAsInteger }

export type FilterState = inferParserType<typeof filterParsers>
export type DealsState = inferParserType<typeof dealsParsers>

/** Reads the parameters of a request: a `Request`, an address, `URLSearchParams`, or what Next gives a page (or promises to). */
export const readDealsQuery = createLoader(dealsParsers)

const serializeDeals = createSerializer(dealsParsers)
const serializeView = createSerializer({ ...filterParsers, ...viewParsers })

/** Returns the URL of the deals page, or of another page of deals, for a partial state; the rest has its defaults. */
export const dealsHref = (
  state: Partial<{ [Name in keyof DealsState]: DealsState[Name] | null }> = {},
  path = '/deals',
) => serializeDeals(path, state)

/** Returns the query string, without question mark, that a view keeps. */
export const viewQuery = (state: { [Name in keyof DealsState]: DealsState[Name] | null }) =>
  serializeView(state).replace(/^\?/, '')

/** Normalizes the query of a view: equal texts show the same. */
export const normalQuery = (query: string) =>
  viewQuery(readDealsQuery(new URLSearchParams(query)) as DealsState)

/** The state without filters. */
export const noFilter = Object.fromEntries(Object.keys(filterParsers).map((name) => [name, null])) as {
  [Name in keyof FilterState]: null
}

/** Returns the filter for the procedures. Dates such as "last 7 days" are relative to `today` (`YYYY-MM-DD`, UTC). */
export function filterOf(state: FilterState, today: string): DealFilter {
  const flags = Object.fromEntries([
    ...state.no.map((field) => [field, false]),
    ...state.yes.map((field) => [field, true]),
  ]) as Partial<Record<FlagField, boolean>>
  const daysOf = <Name extends TimeField | NewsKind>(names: readonly Name[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text: string | null = state[name]
        const days = text === null ? null : parseDays(text, today)
        return days === null ? [] : [[name, days]]
      }),
    ) as Partial<Record<Name, Days>>
  const [dates, news] = [daysOf(labelledTimeFields), daysOf(newsKinds)]
  const values = Object.fromEntries(
    valueFields.flatMap((field) => (state[field].length === 0 ? [] : [[field, distinct(state[field])]])),
  )
  const search = cutText(state.q.trim(), valueMax)
  return {
    ...(search === '' ? {} : { search }),
    ...list('stages', state.stage),
    ...list('pipelines', state.pipeline),
    ...list('states', state.state),
    ...list('places', state.place),
    ...(state.area === null ? {} : { area: state.area }),
    ...list('people', state.person),
    ...list('roles', state.person.length === 0 ? [] : state.role),
    ...list('partners', state.of),
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    ...(Object.keys(dates).length === 0 ? {} : { dates }),
    ...list('present', state.has),
    ...list('missing', state.lacks),
    ...list('done', state.done),
    ...list('todo', state.todo),
    ...list('lateWith', state.late.slice(0, 1)),
    ...list('gates', state.gate),
    ...list('holds', state.hold),
    ...(state.wait === null ? {} : { inStep: state.wait }),
    ...list('took', state.took),
    ...list('reached', state.reached),
    ...(state.is.includes('open') && { isOpen: true as const }),
    ...(state.is.includes('late') && { isLate: true as const }),
    ...(state.is.includes('lost') && { isLost: true as const }),
    ...(state.is.includes('undated') && { isUndated: true as const }),
    ...(state.is.includes('mine') && { isMine: true as const }),
    ...(state.amount === null ? {} : { amount: state.amount }),
    ...(state.size === null ? {} : { size: state.size }),
    ...(Object.keys(news).length === 0 ? {} : { news }),
  }
}

/** Returns the distinct values, at most as many as the procedures accept. */
const distinct = <Value>(values: Value[]) => [...new Set(values)].slice(0, valuesMax)

/** Returns the distinct values under this name; nothing for an empty list. */
const list = <Name extends string, Value>(name: Name, values: Value[]) =>
  (values.length === 0 ? {} : { [name]: distinct(values) }) as {
    [Each in Name]?: Value[]
  }

/** Returns the sort order. */
export const sortOf = ({ sort }: Pick<DealsState, 'sort'>): DealSort => sort ?? standardSort

/** Returns the columns in order; the deal's name is always first, and the one that the deals are sorted by is there. */
export function columnsOf(
  { columns, sort }: Pick<DealsState, 'columns' | 'sort'>,
  seesAllPartners: boolean,
): ColumnId[] {
  const chosen = columns ?? standardColumnsFor(seesAllPartners)
  return [...new Set<ColumnId>(['dealname', ...chosen, ...(sort === null ? [] : [sort.field])])].filter(
    (column) => seesAllPartners || column !== 'partner',
  )
}
