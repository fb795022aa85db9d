import type { Fragment, ISql, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { TenantScope, PartnerId } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { type Change, type DealChange, type StoredDeal, isEventful } from './change.ts'
import { type FilterTerms, type EventFacts, factsRow } from './event-facts.ts'
import { type EventType, type Observed, withIds, eventAround } from './event.ts'
import { historyPageMaxBytes, observedMax, eventPageMaxBytes } from './policy.ts'
import { renderRemoved } from './render.ts'

/** The parts of a change from which events are created. */
export type EventfulChange = Pick<DealChange, 'id' | 'partnerId' | 'changes'> & {
  stored: Pick<StoredDeal, 'partnerId'> | undefined
  facts?: EventFacts | null
}

/** An event that has not been assigned a sequence yet. */
export interface NewEvent {
  id: bigint
  partnerId: number
  type: EventType
  changes: Change[]
  facts: EventFacts | null
}

/** Returns the events of a change. A deal that moves is removed for one partner and created for the other. */
export function eventsOf({ id, partnerId, stored, changes, facts = null }: EventfulChange): NewEvent[] {
  const former = stored?.partnerId ?? null
  if (former !== null && former === partnerId)
    return isEventful(changes) ? [{ id, partnerId, type: 'deal.updated', changes, facts }] : []
  return [
    ...(former === null ? [] : [removalOf(id, former, facts)]),
    ...(partnerId === null ? [] : [{ id, partnerId, type: 'deal.created' as const, changes: [], facts }]),
  ]
}

/** Returns the event that tells a partner that a deal was removed. */
export const removalOf = (id: bigint, partnerId: number, facts: EventFacts | null): NewEvent => ({
  id,
  partnerId,
  type: 'deal.removed',
  changes: [],
  facts,
})

/** Returns the number of events of each partner. */
export function countByPartner(events: readonly NewEvent[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { partnerId } of events) counts.set(partnerId, (counts.get(partnerId) ?? 0) + 1)
  return counts
}

/**
 * Writes events and their facts. `sequences` contains each partner's last sequence before these events.
 * @system the writer of deals
 */
export async function writeEvents(
  sql: TransactionSql,
  events: NewEvent[],
  sequences: ReadonlyMap<number, number>,
  { now, asOf = null }: { now: Date; asOf?: Date | null },
): Promise<void> {
  if (events.length === 0) return
  const last = new Map(sequences)
  const numbered = events.map(({ id, partnerId, type, changes, facts }) => {
    const sequence = last.get(partnerId)! + 1
    last.set(partnerId, sequence)
    return {
      partnerId,
      sequence,
      type,
      id: String(id),
      data: type === 'deal.removed' ? renderRemoved(id) : null,
      facts: facts === null ? null : factsRow({ partnerId, sequence, type, changes }, facts),
      ...eventAround({ type, timestamp: now, sequence, dealId: id, changes, asOf }),
    }
  })
  const column = <Name extends keyof (typeof numbered)[number]>(name: Name) =>
    numbered.map((event) => event[name])
  // Facts are written first, because the trigger `enqueue_deliveries` on events reads them.
  const writing = writeFacts(
    sql,
    numbered.flatMap(({ facts }) => (facts === null ? [] : [facts])),
  )
  // Takes the JSON from the stored deal. Written so that PostgreSQL always uses index lookups, whatever the
  // planner estimates.
  const written = sql`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select partner_id, sequence, type, deal_id, ${now.toISOString()},
      head || coalesce(data, (select json from deals where id = deal_id)) || tail
    from unnest(${column('partnerId')}::integer[], ${column('sequence')}::bigint[], ${column('type')}::text[],
      ${column('id')}::bigint[], ${column('head')}::text[], ${column('data')}::text[], ${column('tail')}::text[])
      as event (partner_id, sequence, type, deal_id, head, data, tail)`
  await Promise.all([writing, written])
}

/** Inserts rows into `event_facts`. @system the writer of deals */
const writeFacts = (sql: TransactionSql, rows: Record<string, unknown>[]) => sql`
  insert into event_facts
  select * from json_populate_recordset(null::event_facts, ${JSON.stringify(rows)}::text::json)`

export interface StoredEvents {
  bodies: string[]
  /** The sequence of the newest event, or 0 if there are no events. */
  last: number
  /** The last sequence that was searched. Clients continue after this sequence. */
  next: number
  /** False if the event after the requested sequence has already been deleted. */
  isComplete: boolean
}

// Maximum number of events searched per request, which takes about 10 ms.
const filteredAtOnce = 10_000

/**
 * Returns up to `limit` events of the partner after a sequence, in order. Returns fewer events, but at least
 * one, if they exceed `maxBytes`. If `after` is negative, returns that many of the newest events. If `terms`
 * is set, returns only matching events among the next 10,000; events of older versions have no facts and
 * count as deleted.
 */
export async function readEvents(
  db: Database,
  partnerId: PartnerId,
  after: number,
  limit: number,
  { maxBytes = eventPageMaxBytes, terms = null }: { maxBytes?: number; terms?: FilterTerms | null } = {},
): Promise<StoredEvents> {
  return db.$client.begin('isolation level repeatable read read only', async (sql) => {
    const [list] = await sql<{ last: string; isNextStored: boolean }[]>`
      select last_sequence as last, exists (
        select from ${sql(terms === null ? 'events' : 'event_facts')}
        where partner_id = ${partnerId} and sequence = ${after + 1}) as "isNextStored"
      from deal_lists where id = ${partnerId}`
    const last = Number(list?.last ?? 0)
    const passing = (from: number, upTo: number) => passingEvents(sql, partnerId, terms, from, upTo)
    const from = after < 0 ? await beforeNewest(sql, passing, last, -after) : after
    // Sequences have no gaps, so without a filter the query reads at most `limit` rows. The lower bound skips
    // deleted rows, which remain at the start of the index until a vacuum.
    const upTo = from + (terms === null ? limit : filteredAtOnce)
    const rows = await sql<{ sequence: string; body: string; found: number }[]>`
      select * from (
        select sequence, body, count(*) over ()::integer as found,
          sum(octet_length(body)) over (order by sequence) - octet_length(body) as before
        from (
          select sequence, sent_body((
            select event.body from events event
            where event.partner_id = ${partnerId} and event.sequence = passed.sequence), result) as body
          from (${passing(from, upTo)} order by sequence limit ${limit}) passed) sent) page
      where before < ${maxBytes} order by sequence`
    const isAll = rows.length < limit && rows.length === (rows[0]?.found ?? 0)
    return {
      bodies: rows.map(({ body }) => withIds(body)),
      last,
      next: isAll ? Math.min(last, upTo) : Number(rows.at(-1)!.sequence),
      isComplete: after < 0 || after >= last || list?.isNextStored === true,
    }
  })
}

/** Returns the query for the events in a range that pass the filter, if any, each with its filter result. */
const passingEvents = (
  sql: TransactionSql,
  partnerId: PartnerId,
  terms: FilterTerms | null,
  from: number,
  upTo: number,
): Fragment =>
  terms === null
    ? sql`
      select sequence, null as result from events
      where partner_id = ${partnerId} and sequence > ${from} and sequence <= ${upTo}`
    : sql`
      select facts.sequence, event_result(wanted, facts) as result
      from event_facts facts, jsonb_populate_record(null::event_filter, ${JSON.stringify(terms)}::text::jsonb) wanted
      where facts.partner_id = ${partnerId} and facts.sequence > ${from} and facts.sequence <= ${upTo}
        and event_result(wanted, facts) is not null`

/** Returns the sequence before the newest `count` events that pass the filter. */
async function beforeNewest(
  sql: TransactionSql,
  passing: (from: number, upTo: number) => Fragment,
  last: number,
  count: number,
): Promise<number> {
  const [{ before }] = await sql<[{ before: number | null }]>`
    select min(sequence)::float8 - 1 as before from (
      ${passing(last - filteredAtOnce, last)} order by sequence desc limit ${count}) newest`
  return before ?? last
}

interface HistoryEntry {
  sequence: number
  type: EventType
  timestamp: string
  changes: string
}

/** Returns the events of a deal that its current partner has received. */
const eventsOfDeal = (sql: ISql, tenant: TenantScope, dealId: bigint) => sql`
  deals join events event on event.partner_id = deals.partner_id and event.deal_id = deals.id
  where deals.id = ${String(dealId)} and ${isWithin(sql, tenant, sql`deals.partner_id`)}`

/**
 * Returns up to `limit` events of a deal, newest first, optionally only those before the sequence `before`.
 * Returns fewer events, but at least one, if they exceed the size of a page.
 */
export async function readHistory(
  db: Database,
  tenant: TenantScope,
  dealId: bigint,
  before: number | null,
  limit: number,
): Promise<{ entries: HistoryEntry[]; isMore: boolean }> {
  const sql = db.$client
  const rows = await sql<(HistoryEntry & { isMore: boolean })[]>`
    with next as (
      select event.partner_id, event.created_at, event.sequence, octet_length(event.body) as bytes
      from ${eventsOfDeal(sql, tenant, dealId)}
      ${
        before === null
          ? sql``
          : sql`and (event.created_at, event.sequence) < (${sql`
        select last.created_at, last.sequence from events last
        where last.partner_id = deals.partner_id and last.sequence = ${before}`})`
      }
      order by event.created_at desc, event.sequence desc limit ${limit + 1}),
    measured as (
      select next.*, row_number() over newest as number, sum(bytes) over newest - bytes as before,
        lead(sequence) over newest is not null as "isMore"
      from next window newest as (order by created_at desc, sequence desc))
    select event.sequence::float8 as sequence, event.type, event.body::json ->> 'timestamp' as timestamp,
      event.body::json ->> 'changes' as changes, "isMore"
    from measured join events event using (partner_id, sequence)
    where number <= ${limit} and before < ${historyPageMaxBytes} order by number`
  return { entries: rows, isMore: rows.at(-1)?.isMore ?? false }
}

/**
 * Returns what the portal has observed about each of these deals of the tenant, based on the newest events.
 * Times that are not later than the CRM's may be missing.
 */
export async function readObserved(
  { $client: sql }: Database,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, Observed>> {
  const newest = (column: string, matches: Fragment) => sql`lateral (
    select created_at, body from (
      select created_at, type, body from events event
      where event.partner_id = deals.partner_id and event.deal_id = deals.id
        and event.created_at > coalesce(${sql.unsafe(column)}, '-infinity')
      order by event.created_at desc, event.sequence desc limit ${observedMax}) event
    where type = 'deal.updated' and ${matches} limit 1)`
  const has = (event: string, field: string) =>
    sql`strpos(${sql.unsafe(event)}.body, ${`"field":"${field}"`}) > 0`
  const iso = (time: string) => sql.unsafe(`to_char(${time}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
  const rows = await sql<({ id: string } & Observed)[]>`
    select id, case when not ${has('moved', 'timeInCurrentStage')} then ${iso('moved.created_at')} end as "movedAt",
      case when not ${has('changed', 'lastModified')} then ${iso('changed.created_at')} end as "changedAt",
      case when time_in_current_stage is null then ${iso('coalesce(moved.created_at, first.created_at)')} end as "seenAt"
    from deals
    left join ${newest('deals.time_in_current_stage', has('event', 'stage'))} moved on true
    left join ${newest('deals.last_modified', sql`true`)} changed on true
    left join lateral (
      select created_at from events event
      where event.partner_id = deals.partner_id and event.deal_id = deals.id and time_in_current_stage is null
      order by sequence limit 1) first on true
    where id = any(${ids.map(String)}::bigint[]) and ${isWithin(sql, tenant)}`
  return new Map(rows.map(({ id, ...observed }) => [BigInt(id), observed]))
}
