import type { Fragment } from 'postgres'
import { type Database, type ReadDatabase, withoutScans } from '#db/client.ts'
import { bitsOf, listed } from '#db/fragments.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { TimeField } from '../deals/find/columns.ts'
import { conditionOf } from '../deals/find/condition-store.ts'
import { happenedOn, isMove } from '../deals/find/news-store.ts'
import { type DayRange, timeOf } from '../deals/find/step-store.ts'
import { readNextStep } from '../deals/next-step-store.ts'
import type { TotalsKind } from '../deals/totals/read-totals.ts'
import type { DealSnapshot } from '../deals/totals/store.ts'
import { type Zone, addDays, dayOf, startOfDay, utc } from '../protocol/zone.ts'
import { type DealGroup, type Lateness, type OverviewTotals, weekCountsOf, withoutWeeks } from './group.ts'
import { latenessFields, latenessOf } from './lateness.ts'
import type { FieldChange } from './news.ts'
import { type Question, questionsOf } from './question.ts'
import { weeksUntil } from './week.ts'

/**
 * Returns the tenant's deals grouped by stage, attention reasons and the weeks of their milestones; weeks are
 * consecutive Mondays. Uses one query, because the scan dominates.
 */
async function readGroups(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  questions: Question[],
  weeks: string[],
): Promise<(DealGroup & { late: Lateness[] })[]> {
  const bits = questions.map(
    ({ filter }, bit) =>
      sql`case when ${conditionOf(sql, { tenant, filter, zone })} then ${1 << bit}::integer else 0 end`,
  )
  // The start of each week: for instants, and for dates without a time, which are midnight UTC.
  const [starts, dates] = [zone, utc].map((each) =>
    [...weeks, addDays(weeks.at(-1)!, 7)].map((day) => new Date(startOfDay(day, each)).toISOString()),
  ) as [string[], string[]]
  const first = dates[0]! < starts[0]! ? dates[0]! : starts[0]!
  const weekOf = (field: TimeField) => {
    const time = timeOf(sql, field)
    const begins = sql`case when date_trunc('day', ${time}) = ${time}
      then ${`{${dates.join()}}`}::timestamptz[] else ${`{${starts.join()}}`}::timestamptz[] end`
    return sql`case when ${time} >= ${first}::timestamptz then nullif(width_bucket(${time}, ${begins}), 0) - 1 end`
  }
  return sql<(DealGroup & { late: Lateness[] })[]>`
    select coalesce(stage, '') as stage, ${bitsOf(sql, bits)} as asked,
      ${readLateness(sql)} as late,
      ${weekOf('createDate')} as created, ${weekOf('installComplete')} as installed,
        ${weekOf('fundingSubmitted')} as funded,
      count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount
    from deals where ${isWithin(sql, tenant)}
    group by 1, 2, 4, 5, 6`
}

/** Returns lateness by each determining date, as JSON. */
function readLateness(sql: DealSnapshot): Fragment {
  const each = latenessFields.map((field) => {
    const time = timeOf(sql, field)
    return sql`json_build_object(
      'earliestMs', floor(extract(epoch from min(${time}) filter (where isfinite(${time}))) * 1000),
      'dollarDays', coalesce(sum(amount * greatest(extract(epoch from now() - ${time})::float8 / 86400, 0))
        filter (where isfinite(${time})), 0))`
  })
  return sql`json_build_array(${listed(sql, each)})`
}

async function computeOverview(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<OverviewTotals> {
  const today = dayOf(now, zone)
  const weeks = weeksUntil(today)
  const groups = await readGroups(sql, tenant, zone, Object.values(questionsOf(today)), weeks)
  return {
    today,
    groups: withoutWeeks(groups),
    lateness: latenessOf(groups),
    weeks: weekCountsOf(groups, weeks),
  }
}

/** Totals for the overview. */
export const overviewTotals: TotalsKind<OverviewTotals> = {
  name: 'overview-5',
  isByZone: true,
  compute: computeOverview,
  async validUntil(sql, tenant, zone, now) {
    const tomorrow = startOfDay(addDays(dayOf(now, zone), 1), zone)
    const next = await readNextStep(sql, tenant)
    return new Date(Math.min(tomorrow, next?.getTime() ?? tomorrow))
  },
}

/**
 * Returns the JSON of the deals longest in these stages; an empty name stands for deals without a stage.
 * Reads the first deals of each stage by index.
 */
export const readLongestInStage = (
  db: ReadDatabase,
  tenant: TenantScope,
  stages: string[],
  limit: number,
): Promise<string[]> =>
  withoutScans(db, async (sql) => {
    const mine = isWithin(sql, tenant)
    // Also by stage, because the planner does not know that unknown ones are all the same.
    const firstOf = (isIn: Fragment) => sql`
      select id, json, time_in_current_stage as since from deals
        where ${mine} and ${isIn} and time_in_current_stage is not null
      order by stage, time_in_current_stage, id limit ${limit}`
    const rows = await sql<{ json: string }[]>`
      select json from (
        select deal.* from unnest(${stages}::text[]) as wanted (name)
          cross join lateral (${firstOf(sql`stage = wanted.name`)}) deal
        union all
        select * from (${firstOf(sql`stage is null`)}) deal where '' = any(${stages}::text[])
      ) deals order by since, id limit ${limit}`
    return rows.map(({ json }) => json)
  })

/** Maximum number of events read to find the newest deals. */
const newestEvents = 500

/**
 * Returns the deals of a partner with the newest events of these days, by id: moved deals first, then newest
 * first.
 */
export async function readNewest(
  db: Database,
  partnerId: PartnerId,
  days: DayRange,
  zone: Zone,
  limit: number,
): Promise<string[]> {
  const sql = db.$client
  const rows = await sql<{ id: string }[]>`
    select deals.id from (
      select deal_id, sequence, created_at, ${isMove(sql, sql`event`)} as is_move from events event
      where event.partner_id = ${partnerId} and ${happenedOn(sql, sql`event`, days, zone)}
      order by event.created_at desc, event.sequence desc limit ${newestEvents}) event
    join deals on deals.id = event.deal_id and deals.partner_id = ${partnerId}
    group by deals.id order by bool_or(is_move) desc, max(event.created_at) desc, max(sequence) desc limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * A deal now, whether it became visible on these days, the time of its last event then (ISO 8601), and its
 * changes.
 */
export interface DealNews {
  json: string
  isNew: boolean
  time: string
  changes: FieldChange[]
}

/**
 * Returns these deals of the tenant by id, with the changes in their partner's events on some days, oldest
 * first.
 */
export async function readDealNews(
  db: Database,
  tenant: TenantScope,
  days: DayRange,
  zone: Zone,
  dealIds: string[],
): Promise<Map<string, DealNews>> {
  const sql = db.$client
  const rows = await sql<{ id: string; json: string; isNew: boolean; time: string; changes: string }[]>`
    select deals.id, deals.json, event_changes."isNew", event_changes.time, event_changes.changes
    from deals cross join lateral (
      select max(event.body::json ->> 'timestamp') as time, bool_or(event.type = 'deal.created') as "isNew",
        coalesce(json_agg(event.body::json -> 'changes' order by event.created_at, event.sequence), '[]')::text as changes
      from events event where event.partner_id = deals.partner_id and event.deal_id = deals.id
        and ${happenedOn(sql, sql`event`, days, zone)}
    ) event_changes
    where ${isWithin(sql, tenant)} and deals.id = any(${dealIds}::bigint[])`
  return new Map(
    rows.map(({ id, changes, ...deal }) => [
      id,
      { ...deal, changes: (JSON.parse(changes) as FieldChange[][]).flat() },
    ]),
  )
}
