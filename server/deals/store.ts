import { and, asc, eq, gt, lte, min, sql } from 'drizzle-orm'
import type { Fragment, PendingQuery, Row, TransactionSql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { dealLists, deals, events } from '#db/schema/deals.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { within } from '../accounts/tenant-store.ts'
import type { FilterTerms } from './event-facts.ts'
import { withIds } from './event.ts'
import type { ListPlace } from './list-cursor.ts'
import { listIdOf } from './list-store.ts'
import { eventPageMaxBytes } from './policy.ts'
import type { DealVersion } from './reconcile/reconcile.ts'
import { rerender, renderVersion, withoutFlags } from './render.ts'

/** A page of a list: its deals as JSON, separated by commas, and the number of deals in the whole list. */
export interface StoredPage {
  count: number
  dealsJson: string
  /** The place of its last deal, if more deals follow. */
  next: ListPlace | null
}

/**
 * Returns page `page` (from 1) of the tenant's deals, with `size` deals. Its cost depends only on `size`: the
 * first position is the ordinal plus the gaps before it, one index lookup.
 */
export async function readPage(
  db: Database,
  tenant: TenantScope,
  page: number,
  size: number,
): Promise<StoredPage> {
  const sql = db.$client
  const first = (page - 1) * size + 1
  const { last, ...rows } = await readRows(
    db,
    tenant,
    size,
    sql`position >= ${first}::bigint + coalesce((
      select position - deals_before from deal_gaps
      where list_id = ${listIdOf(tenant)} and deals_before < ${first}::bigint
      order by deals_before desc, position desc limit 1), 0)`,
  )
  return { ...rows, next: page * size < rows.count ? last : null }
}

/**
 * Returns `size` of the tenant's deals after a place. Deals that were removed or moved up since then make no
 * difference. Returns null if the place is from too long ago.
 */
export async function readPageAfter(
  db: Database,
  tenant: TenantScope,
  after: ListPlace,
  size: number,
): Promise<StoredPage | null> {
  const sql = db.$client
  const { last, ...rows } = await readRows(db, tenant, size, sql`position > ${after.position}::bigint`)
  if (rows.closings === after.closings) {
    const [row] = await sql<[{ hasMore: boolean }]>`
      select exists(select from deal_places
        where list_id = ${listIdOf(tenant)} and position > ${last?.position ?? null}::bigint) as "hasMore"`
    return { ...rows, next: row.hasMore ? last : null }
  }
  // The gaps of the list were closed since, which is rare.
  const [closed] = await sql<[{ isKept: boolean; gapCount: number }]>`
    select exists(select from closed_gaps
        where list_id = ${listIdOf(tenant)} and closing = ${after.closings}) as "isKept",
      coalesce((select gap_count from closed_gaps
        where list_id = ${listIdOf(tenant)} and closing = ${after.closings} and position <= ${after.position}
        order by position desc limit 1), 0)::float8 as "gapCount"`
  if (!closed.isKept) return null
  const moved = { closings: after.closings + 1, position: after.position - closed.gapCount }
  return readPageAfter(db, tenant, moved, size)
}

/** Reads deals of a list in order, from a condition on. */
async function readRows(db: Database, tenant: TenantScope, size: number, from: PendingQuery<Row[]>) {
  const sql = db.$client
  const [row] = await sql<[StoredRows]>`
    select (select deal_count::float8 from deal_lists where id = ${listIdOf(tenant)}) as count,
      (select closings from deal_lists where id = ${listIdOf(tenant)}) as closings,
      max(place.position)::float8 as "lastPosition",
      coalesce(string_agg(deals.json, ',' order by place.position), '') as "dealsJson",
      bool_and(deals.render_version >= ${renderVersion}) as "isCurrent"
    from (
      select position, deal_id from deal_places
      where list_id = ${listIdOf(tenant)} and ${from}
      -- A literal, not a parameter: the planner has to know that 25 rows are few.
      order by position limit ${sql.unsafe(String(Math.trunc(size)))}
    ) place join deals on deals.id = place.deal_id`
  const closings = row.closings ?? 0
  return {
    count: row.count ?? 0,
    closings,
    dealsJson: row.isCurrent === false ? rerender(row.dealsJson) : row.dealsJson,
    last: row.lastPosition === null ? null : { closings, position: row.lastPosition },
  }
}

interface StoredRows {
  /** Null if the list has always been empty. */
  count: number | null
  closings: number | null
  /** Null without deals. */
  lastPosition: number | null
  dealsJson: string
  isCurrent: boolean | null
}

/** Returns the revision of a list, which increases with each change; 0 if it has always been empty. */
export async function readRevision(db: Database, tenant: TenantScope): Promise<number> {
  const [list] = await db
    .select({ revision: dealLists.revision })
    .from(dealLists)
    .where(eq(dealLists.id, listIdOf(tenant)))
  return list?.revision ?? 0
}

/** Returns milliseconds since the list last changed; null if it was always empty. */
export async function readListAge(db: Database, tenant: TenantScope): Promise<number | null> {
  const [list] = await db
    .select({
      ageMs:
        sql<number>`extract(epoch from clock_timestamp()) * 1000 - ${dealLists.revision} / 1000.0`.mapWith(
          Number,
        ),
    })
    .from(dealLists)
    .where(eq(dealLists.id, listIdOf(tenant)))
  return list?.ageMs ?? null
}

/** Returns the JSON of one deal, or undefined if the tenant has none. */
export async function readDeal(db: Database, tenant: TenantScope, id: bigint): Promise<string | undefined> {
  const [deal] = await db
    .select({ json: deals.json, version: deals.renderVersion })
    .from(deals)
    .where(and(eq(deals.id, id), within(tenant, deals.partnerId)))
  return deal === undefined || deal.version >= renderVersion ? deal?.json : rerender(deal.json)
}

/** Returns one deal like `readDeal`, with null for flags that no source gave. */
export async function readKnownDeal(
  db: Database,
  tenant: TenantScope,
  id: bigint,
): Promise<string | undefined> {
  const [deal] = await db
    .select({ json: deals.json, given: deals.given, version: deals.renderVersion })
    .from(deals)
    .where(and(eq(deals.id, id), within(tenant, deals.partnerId)))
  if (deal === undefined) return undefined
  const json = deal.version >= renderVersion ? deal.json : rerender(deal.json)
  return withoutFlags(json, deal.given)
}

/** Bodies of a partner's events after a sequence. */
export interface StoredEvents {
  bodies: string[]
  /** The sequence of the newest event, 0 if there is none. */
  last: number
  /** The sequence up to which was looked, from which a client goes on. */
  next: number
  /** Whether the event right after that sequence is stored or still to come, and not removed. */
  isComplete: boolean
}

// A request looks through this many events at most: about 10 ms.
const filteredAtOnce = 10_000

/**
 * Returns at most `limit` of the partner's events after a sequence, in order; fewer, but at least one, if they
 * are longer than `maxBytes`. A negative `after` is for as many of the newest events as are stored. With `terms`, only
 * those that pass, of a bounded number of events; events from before filters are not complete then.
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
    // Events have no gaps, so without a filter it reads exactly `limit` rows. It never scans removed events, which
    // fill the start of the index until a vacuum.
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

/** Returns the query of the stored events in a range that pass a filter, and how; all without one. */
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

/** Returns the sequence before the newest `count` events that pass. */
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

/** Returns the sequence of the partner's oldest stored event, null if there is none. */
export async function readOldestSequence(
  db: Database | Transaction,
  partnerId: PartnerId,
): Promise<number | null> {
  const [row] = await db
    .select({ sequence: min(events.sequence) })
    .from(events)
    .where(eq(events.partnerId, partnerId))
  return row!.sequence
}

/**
 * Versions of a partner's deals, and the sequence of its newest event in the same snapshot, 0 if there is
 * none.
 */
export interface StoredVersions {
  deals: DealVersion[]
  last: number
}

/**
 * Returns at most `limit` of the partner's deals with `after < id <= upTo` by ascending id; a null bound
 * means unbounded.
 */
export async function readModified(
  db: Database,
  partnerId: PartnerId,
  after: bigint | null,
  upTo: bigint | null,
  limit: number,
): Promise<StoredVersions> {
  return db.transaction(
    async (tx) => {
      const [list] = await tx
        .select({ last: dealLists.lastSequence })
        .from(dealLists)
        .where(eq(dealLists.id, partnerId))
      const rows = await tx
        .select({ id: deals.id, lastModified: sql<string | null>`${deals.json}::json ->> 'lastModified'` })
        .from(deals)
        .where(
          and(
            eq(deals.partnerId, partnerId),
            after === null ? undefined : gt(deals.id, after),
            upTo === null ? undefined : lte(deals.id, upTo),
          ),
        )
        .orderBy(asc(deals.id))
        .limit(limit)
      return { deals: rows, last: list?.last ?? 0 }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}
