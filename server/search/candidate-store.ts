import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { dealsAssignedTo } from '../deals/assignee-store.ts'
import { type TimeField, columnOf, timeFields } from '../deals/columns.ts'
import { listOfAll } from '../deals/list-store.ts'
import { narrowMax } from '../deals/policy.ts'
import { isOnHold, isLost, isWon } from '../stages/stage.ts'
import { stagesThat } from '../stages/store.ts'
import { type Zone, addDays, startOfDay, utc } from '../values/zone.ts'
import {
  emailConditions,
  hasWords,
  peopleConditions,
  wordsOfSearch,
  type Query,
  isAfterTime,
  countyRanges,
} from './condition-store.ts'
import { dealsWithNews } from './news-store.ts'
import { type ColumnParameters, isText } from './parameters.ts'
import { timeOf, type DayRange, instantText } from './step-store.ts'
import type { SortField, DealFilter } from './wire.ts'

/**
 * Returns queries for candidates. A query returns every matching deal unless it stops after more than
 * `narrowMax` deals. Each query uses exactly one index (`withoutScans`), so plans do not depend on the
 * planner's estimates.
 */
export async function candidateQueries(sql: ISql, { tenant, filter, zone }: Query): Promise<Fragment[]> {
  const ranges = [
    ...textRanges(sql, 'stage', filter.stages),
    ...kindRanges(sql, filter),
    ...textRanges(sql, 'state', filter.states),
    ...dateRanges(sql, filter, zone),
    ...numberRange(sql, 'amount', filter.amount),
    ...numberRange(sql, 'systemSize', filter.size),
    ...placeRanges(sql, filter),
  ]
  const indexed = await indexedConditions(sql, tenant, filter)
  return [
    ...indexed.map((condition) => sql`select * from deals where ${condition} limit ${narrowMax + 1}`),
    ...agesInStages(sql, { tenant, filter, zone }),
    ...ranges.map((alternatives) => inRanges(sql, tenant, alternatives)),
    ...dealsAssignedTo(sql, tenant, filter),
    ...(filter.news === undefined ? [] : dealsWithNews(sql, tenant, filter.news, zone)),
  ]
}

/**
 * Returns the first query that finds at most `narrowMax` deals, or null. The query is wrapped in an object
 * because awaiting a fragment runs it.
 */
export async function firstOfFew(sql: ISql, queries: Fragment[]): Promise<{ query: Fragment } | null> {
  for (const query of queries) {
    const [{ length }] = await sql<[{ length: number }]>`
      select count(*)::integer as length from (${query}) deals`
    if (length <= narrowMax) return { query }
  }
  return null
}

/** A range of an index key, or a range for each value of `given`. */
interface KeyRange {
  key: Fragment
  condition: Fragment
  given?: Fragment
}

/** Returns a query for the deals in any of these ranges, using the per-partner index for each range. */
function inRanges(sql: ISql, tenant: TenantScope, ranges: KeyRange[]): Fragment {
  const limit = sql`limit ${narrowMax + 1}`
  const queries = ranges.flatMap(({ key, condition, given }) => {
    const queryFor = (partners: Fragment | undefined, owned: Fragment) => {
      const sources = [partners, given].filter((source) => source !== undefined)
      const query = sql`select * from deals where ${owned} and ${condition} order by partner_id, ${key}, id ${limit}`
      if (sources.length === 0) return sql`(${query})`
      const joined = sources.reduce((all, source) => sql`${all} cross join ${source}`)
      return sql`(select each.* from ${joined} cross join lateral (${query}) each ${limit})`
    }
    return isEveryone(tenant)
      ? [queryFor(sql`partners`, sql`partner_id = partners.id`), queryFor(undefined, sql`partner_id is null`)]
      : [queryFor(undefined, sql`partner_id = ${tenant}`)]
  })
  return sql`select * from (${queries.reduce((all, query) => sql`${all} union all ${query}`)}) ranges ${limit}`
}

function agesInStages(sql: ISql, { tenant, filter: { stages = [], dates = {} }, zone }: Query): Fragment[] {
  const days = dates.timeInCurrentStage
  const range = days && daysRange(sql, 'timeInCurrentStage', days, zone)
  // The index on stage and age excludes deals without a stage.
  if (range === undefined || stages.length === 0 || stages.includes('')) return []
  const owned = isEveryone(tenant) ? sql`` : sql`partner_id = ${tenant} and`
  const order = isEveryone(tenant) ? sql`` : sql`partner_id,`
  const limit = sql`limit ${narrowMax + 1}`
  return [
    sql`select each.* from unnest(${[...new Set(stages)]}::text[]) as given (value) cross join lateral (
      select * from deals
      where ${owned} stage >= given.value and stage <= given.value and ${range.condition}
      order by ${order} stage, time_in_current_stage, id ${limit}) each ${limit}`,
  ]
}

/**
 * Returns the texts as ranges with equal bounds. With `=`, the planner could use an index in another order.
 */
function textRanges(sql: ISql, field: 'stage' | 'state', values: string[] | undefined): KeyRange[][] {
  if (values === undefined || values.length === 0) return []
  const given = sql`unnest(${[...new Set(values)]}::text[])`
  return [[equalTo(sql, field, given), ...(values.includes('') ? [unknown(sql, field)] : [])]]
}

const kindRanges = (sql: ISql, { isLost: lost, isPaid, isOnHold: onHold }: DealFilter): KeyRange[][] =>
  [...(lost ? [isLost] : []), ...(isPaid ? [isWon] : []), ...(onHold ? [isOnHold] : [])].map((is) => [
    equalTo(sql, 'stage', sql`(${stagesThat(sql, is)})`),
  ])

function equalTo(sql: ISql, field: 'stage' | 'state', values: Fragment): KeyRange {
  const key = sortKeyOf(sql, field)
  const bound = sql`(lower(given.value) collate "C")`
  return {
    key,
    condition: sql`${key} between ${bound} and ${bound} and ${sql.unsafe(field)} = given.value`,
    given: sql`${values} as given (value)`,
  }
}

const unknown = (sql: ISql, field: SortField): KeyRange => ({
  key: sortKeyOf(sql, field),
  condition: sql`${sortKeyOf(sql, field)} is null`,
})

const placeRanges = (sql: ISql, filter: DealFilter): KeyRange[][] => {
  const ranges = countyRanges(sql, filter)
  return ranges === undefined ? [] : [ranges.map((range) => ({ key: sql`county`, ...range }))]
}

/**
 * Returns the condition that limits a field's sort key to the filter's range, or undefined if the filter does
 * not limit the field.
 */
export function boundsOf(sql: ISql, { filter, zone }: Query, field: OrderField): Fragment | undefined {
  const after = afterRanges(sql, filter.columns ?? {}).find((range) => range.field === field)
  if (after !== undefined) return after.condition
  const texts = { stage: filter.stages, state: filter.states }[field as string]
  if (texts !== undefined && texts.length > 0) {
    const bound = (most: 'min' | 'max') => sql`(
      select ${sql.unsafe(most)}(lower(value) collate "C") from unnest(${texts}::text[]) as given (value))`
    return sql`${sortKeyOf(sql, field)} between ${bound('min')} and ${bound('max')}`
  }
  if (field === 'amount') return numberRange(sql, field, filter.amount)[0]?.[0]?.condition
  if (field === 'systemSize') return numberRange(sql, field, filter.size)[0]?.[0]?.condition
  const days = filter.dates?.[field as TimeField]
  return days === undefined ? undefined : daysRange(sql, field as TimeField, days, zone)?.condition
}

function dateRanges(
  sql: ISql,
  { dates = {}, missing = [], columns = {} }: DealFilter,
  zone: Zone,
): KeyRange[][] {
  const isOrdered = (field: SortField) => hasOrder(field, false)
  // A deal needs to match only one of several `lacks` lists, so a condition applies only if there is a single
  // list.
  const lacking = columns.lacks?.length === 1 ? columns.lacks[0]! : []
  const between = (Object.entries(dates) as [SortField, DayRange][]).filter(([field]) => isOrdered(field))
  return [
    ...afterRanges(sql, columns).map((range) => [range]),
    ...([...missing, ...lacking.filter((field) => !isText(field))] as SortField[])
      .filter(isOrdered)
      .map((field) => [unknown(sql, field)]),
    ...between.flatMap(([field, days]) => {
      const range = daysRange(sql, field, days, zone)
      return range === undefined ? [] : [[range]]
    }),
  ]
}

/** Returns the times after which a deal must have changed, keyed by the field to sort by. */
function afterRanges(
  sql: ISql,
  { modifiedAfter, createdAfter }: ColumnParameters,
): (KeyRange & { field: SortField })[] {
  const times = [
    ['lastModified', modifiedAfter],
    ['createDate', createdAfter],
  ] as const
  return times.flatMap(([field, time]) =>
    time === undefined
      ? []
      : [{ field, key: sortKeyOf(sql, field), condition: isAfterTime(sql, columnOf(field), time) }],
  )
}

/**
 * Returns a range that covers the days in both the zone and UTC, because instants use the zone's days and
 * dates are stored as midnight UTC.
 */
function daysRange(sql: ISql, field: SortField, { from, to }: DayRange, zone: Zone): KeyRange | undefined {
  if (from === undefined && to === undefined) return undefined
  const starts = (day: string) => [zone, utc].map((each) => startOfDay(day, each))
  const min = from === undefined ? '-infinity' : instantText(Math.min(...starts(from)))
  const max = to === undefined ? 'infinity' : instantText(Math.max(...starts(addDays(to, 1))))
  const key = sortKeyOf(sql, field)
  return { key, condition: sql`${key} between ${min}::timestamptz and ${max}::timestamptz` }
}

function numberRange(
  sql: ISql,
  field: 'amount' | 'systemSize',
  range: { min?: number | undefined; max?: number | undefined } | undefined,
): KeyRange[][] {
  if (range?.min === undefined && range?.max === undefined) return []
  const key = sortKeyOf(sql, field)
  const { min = -Infinity, max = Infinity } = range
  return [
    [{ key, condition: sql`${key} between ${String(min)}::text::float8 and ${String(max)}::text::float8` }],
  ]
}

/**
 * Maximum number of expected matches across all partners for a GIN index, which collects all matches before
 * it returns the first.
 */
const indexSearchMax = 75_000

/**
 * Estimates are rough, so a word counts as rare only below the first limit, and as common only above the
 * second.
 */
const [rareMax, perhapsRareMax] = [narrowMax / 2, narrowMax * 1.5]

/**
 * Number of oldest deals, and of newest deals, in the sample for estimating how common a word or person is.
 */
const sampleLength = 1000

/**
 * Returns the conditions on words and people that an index can serve at a bounded cost. Omits conditions that
 * match many deals.
 */
async function indexedConditions(sql: ISql, tenant: TenantScope, filter: DealFilter): Promise<Fragment[]> {
  const words = wordsOfSearch(filter)
  const others = [...emailConditions(sql, filter.search ?? ''), ...peopleConditions(sql, filter)]
  const together = words.length === 0 ? [] : [hasWords(sql, words)]
  const perWord = words.map((word) => hasWords(sql, [word]))
  const counts = await estimateCounts(sql, tenant, [...others, ...together, ...perWord])
  return [
    ...others.filter((_, index) => counts[index]! <= indexSearchMax),
    ...wordsToLookUp(words, counts.slice(others.length)).map((requested) => hasWords(sql, requested)),
  ]
}

/**
 * Returns the words of a search to look up in an index, or no words if all are too common. `counts` starts
 * with the number of deals that contain all words, followed by the number for each word. If one word is
 * common, looking up all words is much slower than looking up only the rarest.
 */
export function wordsToLookUp(words: string[], [countOfAll = 0, ...counts]: number[]): string[][] {
  if (words.length === 0) return []
  const countOfRarest = Math.min(...counts)
  if (countOfRarest > rareMax && countOfAll <= perhapsRareMax) return [words]
  return countOfRarest <= indexSearchMax ? [[words[counts.indexOf(countOfRarest)]!]] : []
}

/** Estimates how many deals across all partners match each condition, from a sample of the tenant's deals. */
async function estimateCounts(sql: ISql, tenant: TenantScope, conditions: Fragment[]): Promise<number[]> {
  if (conditions.length === 0) return []
  const counts = conditions.map((condition) => sql`count(*) filter (where ${condition})`)
  const some = (direction: Fragment) => sql`
    (select * from deals where ${isWithin(sql, tenant)} order by id ${direction} limit ${sampleLength})`
  const [{ sampled, matching, all }] = await sql<[{ sampled: number; matching: number[]; all: number }]>`
    select count(*)::integer as sampled,
      array[${listed(sql, counts)}]::integer[] as matching,
      coalesce((select deal_count from deal_lists where id = ${listOfAll}), 0)::float8 as all
    from (${some(sql`asc`)} union all ${some(sql`desc`)}) deals`
  return matching.map((count) => (count / Math.max(1, sampled)) * all)
}

export type OrderField = SortField | 'id'

export interface DealOrder {
  field: OrderField
  direction: 'asc' | 'desc'
}

/** A sort order of deals: by a key, with unknown values last and ties sorted by id. */
export interface Order {
  key: Fragment
  type: Fragment
  direction: Fragment
  beyond: Fragment
}

/** Fields for which an index has a partner's deals in order (`db/schema/deals.ts`). */
const orderedFields: ReadonlySet<OrderField> = new Set<OrderField>([
  'id',
  'dealname',
  'stage',
  'state',
  'amount',
  'systemSize',
  'lastModified',
  'createDate',
  'timeInCurrentStage',
])

/** Fields for which an index has the deals of all partners in order. */
const orderedOfAll: ReadonlySet<OrderField> = new Set<OrderField>(['id', 'lastModified', 'createDate'])

/** Returns true if an index has the deals of one partner, or of all partners, in the order of this field. */
export const hasOrder = (field: OrderField, isOfAll: boolean) =>
  isOfAll ? orderedOfAll.has(field) : orderedFields.has(field)

const textFields: readonly OrderField[] = ['city', 'state', 'stage', 'pipeline']

const isTime = (field: OrderField): field is TimeField => (timeFields as readonly string[]).includes(field)

function typeOf(field: OrderField): string {
  if (field === 'id') return 'bigint'
  if (field === 'dealname' || textFields.includes(field)) return 'text'
  if (field === 'amount' || field === 'systemSize') return 'float8'
  return 'timestamptz'
}

function sortKeyOf(sql: ISql, field: OrderField): Fragment {
  if (field === 'dealname') return sql.unsafe('name_key')
  if (textFields.includes(field)) return sql.unsafe(`lower(${columnOf(field)}) collate "C"`)
  return isTime(field) ? timeOf(sql, field) : sql.unsafe(columnOf(field))
}

/** Returns a sort order of deals as SQL. */
export const orderOf = (sql: ISql, { field, direction }: DealOrder): Order => ({
  key: sortKeyOf(sql, field),
  type: sql.unsafe(typeOf(field)),
  direction: sql.unsafe(direction),
  beyond: sql.unsafe(direction === 'asc' ? '>' : '<'),
})
