import type { Database } from '#db/client.ts'
import type { PartnerId, Reach } from '../accounts/partner.ts'
import type { TimeField } from '../deals/find/columns.ts'
import { conditionOf, timeOf } from '../deals/find/condition-store.ts'
import { type Zone, addDays, startOfDay, utc } from '../protocol/zone.ts'
import type { DealGroup } from './group.ts'
import { type ToldChange, type WalkedEvent, walkLength } from './news.ts'
import type { Question } from './question.ts'

/**
 * Returns all deals within reach, grouped by stage, by the questions that count them, and by the weeks in
 * which they reached milestones; the weeks are consecutive and given by their Mondays. In one query, because
 * the scan of the deals is what takes time.
 */
export async function readGroups(
  db: Database,
  reach: Reach,
  zone: Zone,
  questions: Question[],
  weeks: string[],
): Promise<DealGroup[]> {
  const sql = db.$client
  const bits = questions.map(
    ({ filter }, bit) =>
      sql`case when ${conditionOf(sql, reach, filter, zone)} then ${1 << bit}::integer else 0 end`,
  )
  // Where the weeks begin: for instants, and for dates without a time, which are midnight UTC.
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
    select coalesce(stage, '') as stage, ${bits.reduce((all, bit) => sql`${all} | ${bit}`)} as asked,
      ${weekOf('createDate')} as created, ${weekOf('installComplete')} as installed,
        ${weekOf('fundingSubmitted')} as funded,
      count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount
    from deals where ${conditionOf(sql, reach, {}, zone)}
    group by 1, 2, 3, 4, 5`
}

/** Returns the newest events of a partner, newest first, up to the scan limit. */
export async function walkEvents(db: Database, partnerId: PartnerId, since: Date): Promise<WalkedEvent[]> {
  const sql = db.$client
  return sql<WalkedEvent[]>`
    select sequence::float8 as sequence, deal_id::text as "dealId", type,
      created_at > ${since.toISOString()}::timestamptz as "isRecent", deals.id is not null as "isThere"
    from (
      select sequence, deal_id, type, created_at from events where partner_id = ${partnerId}
      order by sequence desc limit ${walkLength}) event
    left join deals on deals.id = event.deal_id and deals.partner_id = ${partnerId}
    order by sequence desc`
}

/** A deal now, the time of its last event, ISO 8601, and its changes since, oldest first. */
export interface ToldDeal {
  json: string
  time: string
  changes: ToldChange[]
}

/** Returns these deals of a partner by id, with their changes after a sequence. */
export async function readTold(
  db: Database,
  partnerId: PartnerId,
  after: number,
  dealIds: string[],
): Promise<Map<string, ToldDeal>> {
  const sql = db.$client
  const rows = await sql<{ id: string; json: string; time: string; changes: string }[]>`
    select deals.id, deals.json, told.time, told.changes
    from deals cross join lateral (
      select max(event.body::json ->> 'timestamp') as time,
        coalesce(json_agg(event.body::json -> 'changes' order by event.sequence), '[]')::text as changes
      from events event where event.partner_id = ${partnerId} and event.deal_id = deals.id
        and event.sequence > ${after}
    ) told
    where deals.partner_id = ${partnerId} and deals.id = any(${dealIds}::bigint[])`
  return new Map(
    rows.map(({ id, json, time, changes }) => [
      id,
      { json, time, changes: (JSON.parse(changes) as ToldChange[][]).flat() },
    ]),
  )
}
