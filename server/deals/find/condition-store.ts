import type { Fragment, ISql } from 'postgres'
import { allOf } from '#db/fragments.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import { isLost } from '../../stages/stage.ts'
import { stagesThat } from '../../stages/store.ts'
import { type TimeField, columnOf, flagFields, flagsOf, roleFields, rolesOf } from './columns.ts'
import { isUndated, tookSteps } from './flow-store.ts'
import { newsConditions } from './news-store.ts'
import { placeConditions } from './place-store.ts'
import { termsOf } from './search.ts'
import { hasDone, hasToDo, isInOpenStage, isInStep, isLate, isLateWith } from './status-store.ts'
import { type DayRange, isOnDays, timeOf } from './step-store.ts'
import { valueFields } from './value-field.ts'
import type { DealFilter, MissableField } from './wire.ts'

/** What is looked for: the tenant's deals that a filter finds, whose dates are days of `zone`. */
export interface Query {
  tenant: TenantScope
  filter: DealFilter
  zone: Zone
}

/** Returns the SQL condition for matching deals of the tenant. */
export function conditionOf(sql: ISql, { tenant, filter, zone }: Query): Fragment {
  const conditions = [isWithin(sql, tenant), ...searchConditions(sql, filter.search ?? '')]
  for (const [column, values] of [
    ['stage', filter.stages],
    ['pipeline', filter.pipelines],
    ['state', filter.states],
    ...valueFields.map((field) => [columnOf(field), filter.values?.[field]] as const),
  ] as const) {
    if (values !== undefined && values.length > 0)
      conditions.push(sql`coalesce(${sql.unsafe(column)}, '') = any(${values}::text[])`)
  }
  if (filter.partners !== undefined && filter.partners.length > 0) {
    conditions.push(
      sql`(partner_id in (select id from partners where name = any(${filter.partners}::text[])) or (partner_id is null and '' = any(${filter.partners}::text[])))`,
    )
  }
  conditions.push(...placeConditions(sql, filter))
  conditions.push(...peopleConditions(sql, filter), ...roleConditions(sql, filter))
  for (const field of filter.present ?? []) conditions.push(sql`${timeOf(sql, field)} is not null`)
  for (const field of filter.missing ?? []) conditions.push(isMissing(sql, field))
  for (const name of filter.done ?? []) conditions.push(hasDone(sql, name))
  for (const name of filter.todo ?? []) conditions.push(hasToDo(sql, name))
  const asked = flagFields.filter((field) => filter.flags?.[field] !== undefined)
  if (asked.length > 0) {
    const [mask, wanted] = [flagsOf(asked), flagsOf(asked.filter((field) => filter.flags![field]))]
    const unwanted = mask & ~wanted
    conditions.push(sql`(flags & ${mask}::integer) = ${wanted}::integer`)
    // A flag that no source gave is neither yes nor no.
    if (unwanted !== 0)
      conditions.push(sql`(coalesce(given, 0) & ${unwanted}::integer) = ${unwanted}::integer`)
  }
  for (const [field, days] of Object.entries(filter.dates ?? {}) as [TimeField, DayRange][])
    conditions.push(isOnDays(sql, field, days, zone))
  for (const [column, range] of [
    ['amount', filter.amount],
    ['system_size', filter.size],
  ] as const) {
    if (range?.min !== undefined) conditions.push(sql`${sql.unsafe(column)} >= ${range.min}::float8`)
    if (range?.max !== undefined) conditions.push(sql`${sql.unsafe(column)} <= ${range.max}::float8`)
  }
  conditions.push(...statusConditions(sql, filter, zone))
  if (filter.news !== undefined) conditions.push(...newsConditions(sql, tenant, filter.news, zone))
  return allOf(sql, conditions)
}

/** Returns the conditions of where deals stand: on their way to the money, in their steps, and by their stage. */
function statusConditions(sql: ISql, filter: DealFilter, zone: Zone): Fragment[] {
  const conditions: Fragment[] = []
  if (filter.gates !== undefined && filter.gates.length > 0)
    conditions.push(sql`coalesce(gate = any(${filter.gates}::text[]), false)`)
  if (filter.holds !== undefined && filter.holds.length > 0)
    conditions.push(sql`coalesce(hold = any(${filter.holds}::text[]), false)`)
  if (filter.inStep !== undefined && Object.keys(filter.inStep).length > 0)
    conditions.push(isInStep(sql, filter.inStep, zone))
  if (filter.took !== undefined && filter.took.length > 0) conditions.push(tookSteps(sql, filter.took, zone))
  if (filter.isUndated) conditions.push(isUndated(sql))
  if (filter.reached !== undefined && filter.reached.length > 0)
    conditions.push(sql`coalesce(reached = any(${filter.reached}::text[]), false)`)
  if (filter.isLate) conditions.push(isLate(sql, zone))
  for (const name of filter.lateWith ?? []) conditions.push(isLateWith(sql, name, zone))
  if (filter.isOpen) conditions.push(isInOpenStage(sql))
  if (filter.isLost) conditions.push(sql`coalesce(stage, '') = any(array(${stagesThat(sql, isLost)}))`)
  return conditions
}

/** Returns the condition that a deal has no value in a field. */
const isMissing = (sql: ISql, field: MissableField): Fragment => sql`${sql.unsafe(columnOf(field))} is null`

/** Returns the SQL condition that a deal belongs to the tenant. */
export const isWithin = (sql: ISql, tenant: TenantScope): Fragment =>
  tenant === 0 ? sql`true` : sql`partner_id = ${tenant}`

/** Returns the conditions of a search: of its words at once, and of each e-mail address. An index serves each alone. */
const searchConditions = (sql: ISql, search: string): Fragment[] => {
  const words = wordsOfSearch(search)
  return [...(words.length === 0 ? [] : [hasWords(sql, words)]), ...emailConditions(sql, search)]
}

/** Returns the starts of words that a search asks for. */
export const wordsOfSearch = (search: string): string[] =>
  termsOf(search).flatMap(({ start, isEmail }) => (isEmail ? [] : [start]))

const quote = (start: string) => `'${start.replaceAll(/['\\]/g, '\\$&')}':*`

/** Returns the condition that each of these is the start of a word of the deal. */
export const hasWords = (sql: ISql, starts: string[]): Fragment =>
  sql`words @@ ${starts.map(quote).join(' & ')}::text::tsquery`

/** Returns the conditions of the e-mail addresses of a search: of the deal itself, or of a person in it. */
export const emailConditions = (sql: ISql, search: string): Fragment[] =>
  termsOf(search)
    .filter(({ isEmail }) => isEmail)
    .map(
      ({ start }) => sql`
      (${hasWords(sql, [start])} or people && (select coalesce(array_agg(id), '{}') from people where strpos(email, ${start}) > 0))`,
    )

/** Returns the conditions of people by their names and of the signed-in user, each of which an index serves. */
export const peopleConditions = (sql: ISql, { people = [], isMine, viewerEmail }: DealFilter): Fragment[] => [
  ...(people.length === 0 ? [] : [hasPerson(sql, sql`name = any(${people}::text[])`)]),
  ...(isMine === true
    ? [hasPerson(sql, sql`email = ${viewerEmail?.toLowerCase() ?? ''} and email <> ''`)]
    : []),
]

const hasPerson = (sql: ISql, condition: Fragment): Fragment =>
  sql`people && (select coalesce(array_agg(id), '{}') from people where ${condition})`

/** Returns the condition that people have any of these roles. */
function roleConditions(sql: ISql, { people = [], roles = [] }: DealFilter): Fragment[] {
  if (people.length === 0 || roles.length === 0 || roles.length === roleFields.length) return []
  return [
    sql`exists (
      select from unnest(deals.people, deals.roles) as person (id, roles)
      where person.id = any(array(select id from people where name = any(${people}::text[])))
        and person.roles & ${rolesOf(roles)}::integer <> 0)`,
  ]
}
