import type { Fragment, ISql } from 'postgres'
import type { Reach } from '../../accounts/partner.ts'
import { type Zone, addDays, dayOf, startOfDay, utc } from '../../protocol/zone.ts'
import {
  type Milestone,
  type MilestoneDate,
  type MilestoneName,
  type Part,
  milestoneOf,
} from '../milestones/milestone.ts'
import { followersOf } from '../milestones/standing.ts'
import { type TimeField, columnOf, flagFields, flagsOf, formerDayColumnOf } from './columns.ts'
import { termsOf } from './search.ts'
import type { DealFilter } from './wire.ts'

/** Returns the SQL condition for matching deals within reach; dates of the filter are days of `zone`. */
export function conditionOf(sql: ISql, reach: Reach, filter: DealFilter, zone: Zone): Fragment {
  const conditions = [isWithin(sql, reach), ...searchConditions(sql, filter.search ?? '')]
  for (const [column, values] of [
    ['stage', filter.stages],
    ['pipeline', filter.pipelines],
    ['state', filter.states],
  ] as const) {
    if (values !== undefined && values.length > 0)
      conditions.push(sql`coalesce(${sql.unsafe(column)}, '') = any(${values}::text[])`)
  }
  if (filter.partners !== undefined && filter.partners.length > 0) {
    conditions.push(
      sql`(partner_id in (select id from partners where name = any(${filter.partners}::text[])) or (partner_id is null and '' = any(${filter.partners}::text[])))`,
    )
  }
  conditions.push(...peopleConditions(sql, filter.people ?? []))
  for (const field of filter.present ?? []) conditions.push(sql`${timeOf(sql, field)} is not null`)
  for (const field of filter.missing ?? []) conditions.push(sql`${timeOf(sql, field)} is null`)
  for (const name of filter.done ?? []) conditions.push(isDone(sql, milestoneOf(name), zone))
  for (const name of filter.todo ?? []) conditions.push(...todoConditions(sql, name, zone))
  const asked = flagFields.filter((field) => filter.flags?.[field] !== undefined)
  if (asked.length > 0) {
    const [mask, wanted] = [flagsOf(asked), flagsOf(asked.filter((field) => filter.flags![field]))]
    conditions.push(sql`(flags & ${mask}::integer) = ${wanted}::integer`)
  }
  for (const [field, { from, to }] of Object.entries(filter.dates ?? {}) as [
    TimeField,
    { from?: string; to?: string },
  ][]) {
    conditions.push(
      ofColumns(sql, field, (column, isDay) => isOnDays(sql, column, { from, to }, isDay ? utc : zone)),
    )
  }
  for (const [column, range] of [
    ['amount', filter.amount],
    ['system_size', filter.size],
  ] as const) {
    if (range?.min !== undefined) conditions.push(sql`${sql.unsafe(column)} >= ${range.min}::float8`)
    if (range?.max !== undefined) conditions.push(sql`${sql.unsafe(column)} <= ${range.max}::float8`)
  }
  if (filter.news !== undefined) conditions.push(newsCondition(sql, reach, filter.news))
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

/** Returns the SQL condition that a deal is within reach. */
export const isWithin = (sql: ISql, reach: Reach): Fragment =>
  reach === 0 ? sql`true` : sql`partner_id = ${reach}`

/** Returns a time of a deal, which version 1 kept as a day. */
export function timeOf(sql: ISql, field: TimeField): Fragment {
  const day = formerDayColumnOf(field)
  return sql.unsafe(day === null ? columnOf(field) : `coalesce(${columnOf(field)}, ${day})`)
}

/** Returns a condition of a time: of its column, or of the one in which version 1 kept the day. */
function ofColumns(
  sql: ISql,
  field: TimeField,
  conditionOn: (column: Fragment, isDay: boolean) => Fragment,
): Fragment {
  const [own, day] = [columnOf(field), formerDayColumnOf(field)]
  const condition = conditionOn(sql.unsafe(own), false)
  return day === null ? condition : sql`(${condition} or ${conditionOn(sql.unsafe(day), true)})`
}

const datesOf = ({ dates }: Milestone, wanted: Part) => dates.filter(({ part }) => part === wanted)

/**
 * Returns the condition that a time has come, the opposite of `isAhead`: an instant until now, a date until today.
 */
function hasCome(sql: ISql, column: Fragment, zone: Zone): Fragment {
  const today = dayOf(new Date(), zone)
  const [date, next] = [today, addDays(today, 1)].map((day) => instantText(startOfDay(day, utc))) as [
    string,
    string,
  ]
  return sql`coalesce(${column} = ${date}::timestamptz or ${column} <= now() and ${column} <> ${next}::timestamptz, false)`
}

/** Returns the condition that any of these dates has come; what is dated in the future is a plan. */
const haveCome = (sql: ISql, dates: readonly MilestoneDate[], zone: Zone) =>
  dates.reduce(
    (any, { field }) => sql`${any} or ${ofColumns(sql, field, (column) => hasCome(sql, column, zone))}`,
    sql`false`,
  )

const isDone = (sql: ISql, milestone: Milestone, zone: Zone) => {
  const flags = flagsOf(milestone.doneFlag === undefined ? [] : [milestone.doneFlag])
  return sql`(${haveCome(sql, datesOf(milestone, 'end'), zone)} or (flags & ${flags}::integer) <> 0)`
}

/**
 * Returns the conditions that a deal still needs a step, as its timeline tells it: it is not done, nothing that
 * follows it is, and it is required or begun.
 */
function todoConditions(sql: ISql, name: MilestoneName, zone: Zone): Fragment[] {
  const milestone = milestoneOf(name)
  const followers = followersOf(name)
  const isBegun = haveCome(sql, datesOf(milestone, 'begin'), zone)
  const areFollowersBegun = haveCome(
    sql,
    followers.flatMap((follower) => datesOf(follower, 'begin')),
    zone,
  )
  const { requiredFlag } = milestone
  return [
    ...[milestone, ...followers].map((each) => sql`not ${isDone(sql, each, zone)}`),
    sql`((${isBegun}) or not (${areFollowersBegun}))`,
    ...(requiredFlag === undefined
      ? []
      : [sql`((${isBegun}) or (flags & ${flagsOf([requiredFlag])}::integer) <> 0)`]),
  ]
}

/**
 * Returns the condition that a time lies on these days of a zone. The column is compared with constants alone: instants with
 * where the days begin and end, dates without a time, which are midnight UTC, with the days as such.
 */
function isOnDays(
  sql: ISql,
  column: Fragment,
  { from, to }: { from?: string; to?: string },
  zone: Zone,
): Fragment {
  const conditions: Fragment[] = []
  if (from !== undefined) {
    const [start, date] = [zone, utc].map((each) => startOfDay(from, each)) as [number, number]
    // West of UTC a day begins after the midnight that stands for it as a date.
    conditions.push(
      start > date
        ? sql`(${column} >= ${instantText(start)}::timestamptz or ${column} = ${instantText(date)}::timestamptz)`
        : sql`${column} >= ${instantText(start)}::timestamptz`,
    )
  }
  if (to !== undefined) {
    const [end, date] = [zone, utc].map((each) => startOfDay(addDays(to, 1), each)) as [number, number]
    conditions.push(sql`${column} < ${instantText(end)}::timestamptz`)
    if (end > date) conditions.push(sql`${column} <> ${instantText(date)}::timestamptz`)
  }
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`)
}

/** Returns an instant as the database reads it, which has no year 0, and no sign before the year 10000. */
export const instantText = (ms: number) =>
  ms < Date.parse('0001-01-01') ? '-infinity' : new Date(ms).toISOString().replace('+0', '')

/** Returns the condition that a deal has news, in a form that is never joined, which would lose the order of a walk. */
function newsCondition(sql: ISql, reach: Reach, { after, kind }: NonNullable<DealFilter['news']>): Fragment {
  const partner = reach === 0 ? sql`deals.partner_id` : sql`${reach}`
  const isTold = (type: Fragment) => sql`coalesce(exists (
    select from events event where event.partner_id = ${partner} and event.deal_id = deals.id
      and event.sequence > ${after}::bigint and ${type}), false)`
  if (kind === 'new') return isTold(sql`event.type = 'deal.created'`)
  const any = isTold(sql`true`)
  return kind === undefined ? any : sql`${any} and not ${isTold(sql`event.type = 'deal.created'`)}`
}

/** Returns the conditions of a search: of its words at once, and of each e-mail address. An index serves each alone. */
export function searchConditions(sql: ISql, search: string): Fragment[] {
  const terms = termsOf(search)
  const quote = (start: string) => `'${start.replaceAll(/['\\]/g, '\\$&')}':*`
  const words = terms.filter(({ isEmail }) => !isEmail).map(({ start }) => quote(start))
  return [
    ...(words.length === 0 ? [] : [sql`words @@ ${words.join(' & ')}::text::tsquery`]),
    ...terms
      .filter(({ isEmail }) => isEmail)
      .map(
        ({ start }) => sql`
      (words @@ ${quote(start)}::text::tsquery or people && (select coalesce(array_agg(id), '{}') from people where strpos(email, ${start}) > 0))`,
      ),
  ]
}

/** Returns the condition of people by their names, which an index serves; none without names. */
export const peopleConditions = (sql: ISql, names: readonly string[]): Fragment[] =>
  names.length === 0
    ? []
    : [
        sql`people && (select coalesce(array_agg(id), '{}') from people where name = any(${[...names]}::text[]))`,
      ]
