import { type ReadDatabase, withoutScans, type Database } from '#db/client.ts'
import { anyOf, listed, bitsOf } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { columnOf, rolesOf, type TimeField } from '../deals/columns.ts'
import { flowFields } from '../deals/flow.ts'
import { conditionOf } from '../search/condition-store.ts'
import { happenedOn } from '../search/news-store.ts'
import type { TotalsKind } from '../search/read-totals.ts'
import { resolveQuery } from '../search/resolve-query.ts'
import { readNextStep, type DayRange, timeOf } from '../search/step-store.ts'
import type { DealSnapshot, ZonedTenant } from '../search/totals-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { type Zone, addDays, startOfDay, utc } from '../values/zone.ts'
import { type DealGroup, type HomeTotals, weekCountsOf, withoutWeeks, type FieldChange } from './home.ts'
import { mondaysUntil } from './periods.ts'
import { type AttentionName, type Question, attentionNames, questionsOf } from './question.ts'
import { repRoles, trendFields } from './reports-wire.ts'
import type { Offers } from './wire.ts'

/**
 * Returns the tenant's deals grouped by stage, reasons for attention and the weeks of their milestones.
 * `weeks` are consecutive Mondays. Uses a single query, because the scan dominates the cost.
 */
async function readGroups(
  { sql, tenant, zone }: DealSnapshot,
  questions: Question[],
  weeks: string[],
): Promise<DealGroup[]> {
  const bits = questions.map(
    ({ filter }, bit) =>
      sql`case when ${conditionOf(sql, { tenant, filter, zone })} then ${1 << bit}::integer else 0 end`,
  )
  // The start of each week, in the zone for timestamps and in UTC for dates, which are stored as midnight
  // UTC.
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
  return sql<DealGroup[]>`
    select coalesce(stage, '') as stage, ${bitsOf(sql, bits)} as matched,
      ${weekOf('createDate')} as created, ${weekOf('installComplete')} as installed,
        ${weekOf('fundingSubmitted')} as funded,
      count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount
    from deals where ${isWithin(sql, tenant)}
    group by 1, 2, 3, 4, 5`
}

/** Maximum number of deals read per reason for attention. Home picks its list from these deals. */
const longestMax = 10

/** Returns the ids of the deals that have had each reason for attention for the longest time. */
async function readLongest(
  { sql, tenant, zone }: DealSnapshot,
  questions: Record<AttentionName, Question>,
  groups: DealGroup[],
): Promise<HomeTotals['longest']> {
  const longest = attentionNames.map(async (name, bit) => {
    if (!groups.some(({ matched }) => (matched & (1 << bit)) !== 0)) return [name, []]
    const { filter, sort } = questions[name]
    const rows = await sql<{ id: string }[]>`
      select id from deals where ${isWithin(sql, tenant)} and ${conditionOf(sql, { tenant, filter, zone })}
      order by ${timeOf(sql, sort.field as TimeField)}, id limit ${longestMax}`
    return [name, rows.map(({ id }) => id)]
  })
  return Object.fromEntries(await Promise.all(longest)) as HomeTotals['longest']
}

/** Number of weeks in the totals, including the current week. */
const weekCount = 12

async function computeHome(snapshot: DealSnapshot): Promise<HomeTotals> {
  const { today } = snapshot
  const weeks = mondaysUntil(today, weekCount)
  const questions = questionsOf(today)
  const groups = await readGroups(snapshot, Object.values(questions), weeks)
  return {
    today,
    groups: withoutWeeks(groups),
    longest: await readLongest(snapshot, questions, groups),
    weeks: weekCountsOf(groups, weeks),
  }
}

export const homeTotals: TotalsKind<HomeTotals> = {
  name: 'home-3',
  isByZone: true,
  // Each reason for attention requires a scan.
  atOnceMax: 2000,
  compute: computeHome,
  async validUntil(snapshot) {
    const tomorrow = startOfDay(addDays(snapshot.today, 1), snapshot.zone)
    const next = await readNextStep(snapshot)
    return new Date(Math.min(tomorrow, next?.getTime() ?? tomorrow))
  },
}

/**
 * The current deal, whether it became visible on these days, the time of its last event on these days (ISO
 * 8601), and its changes.
 */
export interface DealNews {
  json: string
  isNew: boolean
  time: string
  changes: FieldChange[]
}

/**
 * Returns these deals of the tenant by id, with the changes from the partner's events on some days, oldest
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

/** The viewer of the news, and the tenant. */
export interface NewsReader extends ZonedTenant {
  user: { id: number; email: string } | null
}

export interface OwnCount {
  count: number
  amount: number
  /** True if there may be more deals than were counted. */
  isMore: boolean
}

const ownMax = 10_000

/** For each filter, counts the viewer's own deals that match it and sums their amounts, in one scan. */
export async function countOwn(
  db: ReadDatabase,
  reader: NewsReader,
  filters: readonly DealFilter[],
): Promise<OwnCount[]> {
  if (reader.user === null || filters.length === 0)
    return filters.map(() => ({ count: 0, amount: 0, isMore: false }))
  const own = await resolveQuery(reader, { isMine: true })
  const queries = await Promise.all(filters.map((filter) => resolveQuery(reader, filter)))
  return withoutScans(db, async (sql) => {
    const counts = queries.map((query) => {
      const matches = conditionOf(sql, query)
      return sql`count(*) filter (where ${matches})::float8, coalesce(sum(amount) filter (where ${matches}), 0)::float8`
    })
    const [row] = await sql<[{ all: number; counts: number[] }]>`
      select count(*)::float8 as all, array[${listed(sql, counts)}] as counts
      from (select * from deals where ${conditionOf(sql, own)} limit ${ownMax}) deals`
    const isMore = row.all >= ownMax
    return filters.map((_, index) => ({
      count: row.counts[2 * index]!,
      amount: row.counts[2 * index + 1]!,
      isMore,
    }))
  })
}

type Fields = Omit<Offers, 'scorecard'>

async function readOffers({ sql, tenant }: DealSnapshot): Promise<Fields> {
  const isAny = (fields: readonly Parameters<typeof columnOf>[0][]) =>
    anyOf(
      sql,
      fields.map((field) => sql`${sql.unsafe(columnOf(field))} is not null`),
    )
  const ends = Object.values(flowFields).flatMap(({ to }) => (to === 'timeInCurrentStage' ? [] : [to]))
  const [offers] = await sql<[Fields]>`
    select coalesce(bool_or(county is not null), false) as map,
      coalesce(bool_or(${isAny(ends)}), false) as flow,
      coalesce(bool_or(${isAny(Object.values(trendFields))}), false) as trends,
      coalesce(bool_or(exists (
        select from unnest(roles) as role where role & ${rolesOf(repRoles)}::integer <> 0)), false) as reps
    from deals where ${isWithin(sql, tenant)}`
  return offers
}

export const offersTotals: TotalsKind<Fields> = {
  name: 'offers-1',
  isByZone: false,
  compute: readOffers,
}
