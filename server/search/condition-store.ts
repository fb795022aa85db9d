import type { Fragment, ISql } from 'postgres'
import { allOf, anyOf } from '#db/fragments.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { isAssignedTo } from '../deals/assignee-store.ts'
import {
  columnOf,
  flagsOf,
  type RoleField,
  type TimeField,
  flagFields,
  roleFields,
  rolesOf,
} from '../deals/columns.ts'
import type { ValueField } from '../deals/deal.ts'
import { beginningWith, queryOfTerm, termsOf } from '../deals/search-text.ts'
import { isOnHold, isLost, isWon } from '../stages/stage.ts'
import { stateOfCounty } from '../values/counties.ts'
import type { Area } from '../values/point.ts'
import { type Filter, type FilterInput, type Range, filters, isEmpty } from './filters.ts'
import { newsConditions } from './news-store.ts'
import { type ColumnField, type ColumnParameters, type FlagValue, isText, parameters } from './parameters.ts'
import {
  isUndated,
  tookSteps,
  type DayRange,
  isOnDays,
  timeOf,
  hasDone,
  hasToDo,
  isInMovingStage,
  isInOpenStage,
  isInStageThat,
  isInStep,
  isLate,
  isLateWith,
} from './step-store.ts'
import type { ZonedTenant } from './totals-store.ts'
import type { DealFilter } from './wire.ts'

/** A filter on the tenant's deals. */
export interface Query extends ZonedTenant {
  filter: DealFilter
  /** The day in the zone on which lateness and durations are based. Defaults to today. */
  today?: string
}

/** Returns the SQL condition for the tenant's deals that match the query. */
export function conditionOf(sql: ISql, query: Query): Fragment {
  const used = (Object.keys(conditions) as (keyof FilterInput)[]).filter((key) => !isEmpty(query.filter[key]))
  return allOf(sql, [
    isWithin(sql, query.tenant),
    ...columnConditions(sql, query.filter.columns ?? {}),
    ...(query.filter.within === undefined
      ? []
      : [conditionOf(sql, { ...query, filter: query.filter.within })]),
    ...used.flatMap((key) => (conditions[key] as Condition<typeof key>)(sql, query.filter[key]!, query)),
  ])
}

type Condition<Key extends keyof FilterInput> = (
  sql: ISql,
  value: NonNullable<FilterInput[Key]>,
  query: Query,
) => Fragment | Fragment[]

type Filters = typeof filters
type ColumnKey = Extract<Filters[keyof Filters], { column: string }>['key']

const byColumn = Object.fromEntries(
  Object.values<Filter>(filters).flatMap((filter) =>
    'column' in filter && filter.column !== undefined
      ? [[filter.key, conditionOfColumn(filter, filter.column)]]
      : [],
  ),
) as { [Key in ColumnKey]: Condition<Key> }

/** Conditions by filter. Only filters without a `column` are listed here. */
const conditions: { [Key in keyof FilterInput]-?: Condition<Key> } = {
  search: searchConditions,
  ...byColumn,
  values: (sql, values) =>
    Object.entries(values).flatMap(([field, texts]) =>
      isEmpty(texts) ? [] : hasText(sql, columnOf(field as ValueField), texts),
    ),
  partners: (sql, names) =>
    sql`(partner_id in (select id from partners where name = any(${names}::text[])) or (partner_id is null and '' = any(${names}::text[])))`,
  places: (sql, _, { filter }) => isInPlace(sql, filter),
  area: isInArea,
  people: hasNamedPerson,
  isMine: (sql, _, { filter }) => hasViewer(sql, filter),
  roles: roleConditions,
  present: (sql, fields) => fields.map((field) => sql`${timeOf(sql, field)} is not null`),
  missing: (sql, fields) => fields.map((field) => sql`${sql.unsafe(columnOf(field))} is null`),
  done: (sql, names) => names.map((name) => hasDone(sql, name)),
  todo: (sql, names) => names.map((name) => hasToDo(sql, name)),
  flags: flagConditions,
  dates: (sql, dates, { zone }) =>
    (Object.entries(dates) as [TimeField, DayRange][]).map(([field, days]) =>
      isOnDays(sql, field, days, zone),
    ),
  inStep: (sql, steps, { zone, today }) => isInStep(sql, steps, zone, today),
  took: (sql, steps, { zone }) => tookSteps(sql, steps, zone),
  isUndated: (sql) => isUndated(sql),
  isLate: (sql, _, { zone, today }) => isLate(sql, zone, today),
  lateWith: (sql, names, { zone, today }) => names.map((name) => isLateWith(sql, name, zone, today)),
  isOpen: (sql) => isInOpenStage(sql),
  isActive: (sql) => isInMovingStage(sql),
  isLost: (sql) => isInStageThat(sql, isLost),
  isNotLost: (sql) => sql`not ${isInStageThat(sql, isLost)}`,
  isOnHold: (sql) => isInStageThat(sql, isOnHold),
  isPaid: (sql) => isInStageThat(sql, isWon),
  isPayable: (sql) => sql`gate is not null`,
  news: (sql, news, { tenant, zone }) => newsConditions(sql, tenant, news, zone),
  assignees: (sql, _, { filter }) => isAssignedTo(sql, filter),
}

function conditionOfColumn({ kind }: Filter, column: string): Condition<ColumnKey> {
  switch (kind) {
    case 'texts':
      return (sql, texts) => hasText(sql, column, texts as string[])
    case 'range':
      return (sql, value) => {
        const { min, max } = value as Range
        return [
          ...(min === undefined ? [] : [sql`${sql.unsafe(column)} >= ${min}::float8`]),
          ...(max === undefined ? [] : [sql`${sql.unsafe(column)} <= ${max}::float8`]),
        ]
      }
    default:
      return (sql, names) => sql`coalesce(${sql.unsafe(column)} = any(${names as string[]}::text[]), false)`
  }
}

/** Returns the condition that a column equals one of these strings. An empty string means unknown. */
function hasText(sql: ISql, column: string, texts: string[]): Fragment {
  return sql`coalesce(${sql.unsafe(column)}, '') = any(${texts}::text[])`
}

/** Returns the conditions for flags. A flag that no source sent is unknown, so it matches neither value. */
function flagConditions(sql: ISql, flags: NonNullable<FilterInput['flags']>): Fragment[] {
  const filtered = flagFields.filter((field) => flags[field] !== undefined)
  const [mask, wanted] = [flagsOf(filtered), flagsOf(filtered.filter((field) => flags[field]))]
  const unwanted = mask & ~wanted
  return [
    sql`(flags & ${mask}::integer) = ${wanted}::integer`,
    ...(unwanted === 0 ? [] : [sql`(coalesce(given, 0) & ${unwanted}::integer) = ${unwanted}::integer`]),
  ]
}

/**
 * Returns the conditions of a search: one for all its words and one per e-mail address, each served by an
 * index. With similar words, a deal must contain at least one of these.
 */
function searchConditions(sql: ISql, search: string, { filter: { similarWords } }: Query): Fragment[] {
  const words = wordsOfSearch({ search, similarWords })
  return [
    ...(words.length === 0 ? [] : [hasWords(sql, words)]),
    ...(similarWords === undefined ? [] : [sql`not ${hasWords(sql, wordsOfSearch({ search }))}`]),
    ...emailConditions(sql, search),
  ]
}

/** Returns a text query for each word of the search. */
export const wordsOfSearch = ({
  search = '',
  similarWords,
}: Pick<DealFilter, 'search' | 'similarWords'>): string[] =>
  termsOf(search).flatMap((term) =>
    term.email !== null ? [] : [queryOfTerm(term, similarWords?.get(term.start))],
  )

/** Returns the condition that a deal matches all of these text queries. */
export const hasWords = (sql: ISql, queries: string[]): Fragment =>
  sql`(words @@ ${queries.join(' & ')}::text::tsquery)`

/**
 * Returns the conditions for the e-mail addresses in a search, which match the deal's own address or those of
 * its people.
 */
export const emailConditions = (sql: ISql, search: string): Fragment[] =>
  termsOf(search)
    .filter(({ email }) => email !== null)
    .map(
      ({ start, email }) => sql`
      (${hasWords(sql, [beginningWith(start)])} or people && (select coalesce(array_agg(id), '{}') from people where strpos(email, ${email}) > 0))`,
    )

/** Returns the conditions on people by name and on the signed-in user. An index serves each condition. */
export const peopleConditions = (sql: ISql, filter: DealFilter): Fragment[] => [
  ...(isEmpty(filter.people) ? [] : [hasNamedPerson(sql, filter.people!)]),
  ...(filter.isMine === true ? [hasViewer(sql, filter)] : []),
]

function hasNamedPerson(sql: ISql, names: string[]): Fragment {
  return hasPerson(sql, sql`name = any(${names}::text[])`)
}

/** Matches the viewer by e-mail address, and the names that the viewer confirmed as their own. */
const hasViewer = (sql: ISql, { viewerEmail = '', viewerId = 0 }: DealFilter): Fragment => sql`
  people && (select coalesce(array_agg(id), '{}') from (
    select id from people where email = ${viewerEmail.toLowerCase()} and email <> ''
    union all select person_id from user_people where user_id = ${viewerId}::integer) as own (id))`

const hasPerson = (sql: ISql, condition: Fragment): Fragment =>
  sql`people && (select coalesce(array_agg(id), '{}') from people where ${condition})`

function roleConditions(sql: ISql, roles: RoleField[], { filter: { people = [] } }: Query): Fragment[] {
  if (people.length === 0 || roles.length === roleFields.length) return []
  return [
    sql`exists (
      select from unnest(deals.people, deals.roles) as person (id, roles)
      where person.id = any(array(select id from people where name = any(${people}::text[])))
        and person.roles & ${rolesOf(roles)}::integer <> 0)`,
  ]
}

function columnConditions(sql: ISql, { has, lacks, flag, ...times }: ColumnParameters): Fragment[] {
  return [
    ...(['modifiedAfter', 'createdAfter'] as const).flatMap((name) =>
      times[name] === undefined ? [] : [isAfterTime(sql, parameters[name].column!, times[name])],
    ),
    ...(has === undefined ? [] : [anyList(sql, has, (field) => hasField(sql, field))]),
    ...(lacks === undefined ? [] : [anyList(sql, lacks, (field) => sql`not ${hasField(sql, field)}`)]),
    ...(flag === undefined
      ? []
      : [
          anyOfLists(
            sql,
            flag.map((flags) => haveValues(sql, flags)),
          ),
        ]),
  ]
}

/** Returns the condition that a time is later than this one. */
export const isAfterTime = (sql: ISql, column: string, time: string): Fragment =>
  sql`${sql.unsafe(column)} > ${time}::timestamptz`

const anyList = (
  sql: ISql,
  lists: readonly ColumnField[][],
  conditionOf: (field: ColumnField) => Fragment,
): Fragment =>
  anyOfLists(
    sql,
    lists.map((fields) => allOf(sql, fields.map(conditionOf))),
  )

const anyOfLists = (sql: ISql, lists: readonly Fragment[]): Fragment => sql`(${anyOf(sql, lists)})`

const hasField = (sql: ISql, field: ColumnField): Fragment =>
  isText(field)
    ? sql`(coalesce(${sql.unsafe(columnOf(field))}, '') <> '')`
    : sql`(${sql.unsafe(columnOf(field))} is not null)`

/**
 * Returns the condition that flags have these values as seen by partners, who see a flag that no source sent
 * as false.
 */
function haveValues(sql: ISql, flags: readonly FlagValue[]): Fragment {
  const mask = flagsOf(flags.map(({ field }) => field))
  const wanted = flagsOf(flags.flatMap(({ field, isTrue }) => (isTrue ? [field] : [])))
  const isContradiction = flags.some(({ field, isTrue }) =>
    flags.some((other) => other.field === field && other.isTrue !== isTrue),
  )
  return isContradiction ? sql`false` : sql`(coalesce(flags, 0) & ${mask}::integer) = ${wanted}::integer`
}

/** Returns the counties of a filter, as resolved by `resolveQuery`. */
function resolvedPlacesOf({ resolvedPlaces }: DealFilter): NonNullable<DealFilter['resolvedPlaces']> {
  if (resolvedPlaces === undefined) throw new Error('the places of a filter are not resolved')
  return resolvedPlaces
}

function isInPlace(sql: ISql, filter: DealFilter): Fragment {
  const { counties, states, isUnplaced } = resolvedPlacesOf(filter)
  return sql`(county = any(${counties}::integer[]) or county / 1000 = any(${states}::integer[])
    or ${isUnplaced ? sql`county is null` : sql`false`})`
}

function isInArea(sql: ISql, { west, south, east, north }: Area): Fragment {
  return sql`(county is not null and latitude between ${south}::float8 and ${north}::float8
    and longitude between ${west}::float8 and ${east}::float8)`
}

interface CountyRange {
  condition: Fragment
  given?: Fragment
}

/**
 * Returns ranges of counties that contain all deals matching the filter, or undefined if the filter does not
 * select by region.
 */
export function countyRanges(sql: ISql, filter: DealFilter): CountyRange[] | undefined {
  if (filter.area !== undefined) {
    const codes = countiesOfArea(filter)
    const counties = sql`unnest(${codes}::integer[]) as given (code)`
    const condition = sql`county between given.code and given.code and ${isInArea(sql, filter.area)}`
    return [{ condition, given: counties }]
  }
  if (filter.places === undefined || filter.places.length === 0) return undefined
  const { counties, states, isUnplaced } = resolvedPlacesOf(filter)
  const lows = [...counties, ...states.map((code) => code * 1000)]
  const highs = [...counties, ...states.map((code) => code * 1000 + 999)]
  return [
    {
      condition: sql`county between given.low and given.high`,
      given: sql`unnest(${lows}::integer[], ${highs}::integer[]) as given (low, high)`,
    },
    ...(isUnplaced ? [{ condition: sql`county is null` }] : []),
  ]
}

/**
 * Returns the counties that the filter's area intersects. If the filter also has regions, returns only
 * counties in these regions.
 */
function countiesOfArea(filter: DealFilter): number[] {
  const { meeting, counties, states } = resolvedPlacesOf(filter)
  if (filter.places === undefined || filter.places.length === 0) return meeting!
  return meeting!.filter((code) => counties.includes(code) || states.includes(stateOfCounty(code)))
}

/** Minimum number of deals read per county. Most counties of an area have no deals. */
const eachMin = 100

/**
 * Returns a query for about `most` deals in total, with some from each county that the filter's area
 * intersects.
 */
export function someOfEachCounty(sql: ISql, tenant: TenantScope, filter: DealFilter, most: number): Fragment {
  const codes = countiesOfArea(filter)
  const limit = sql`limit ${Math.max(eachMin, Math.ceil(most / Math.max(1, codes.length)))}`
  const counties = sql`unnest(${codes}::integer[]) as given (code)`
  const [partners, owned] = isEveryone(tenant)
    ? [sql`cross join partners`, sql`partner_id = partners.id`]
    : [sql``, sql`partner_id = ${tenant}`]
  return sql`
    select each.* from ${counties} ${partners} cross join lateral (
      select * from deals where ${owned} and county between given.code and given.code
      order by partner_id, county, id ${limit}) each`
}
