import type { Fragment, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { FilterTerms } from './event-facts.ts'
import { withIds } from './event.ts'
import { eventPageMaxBytes } from './policy.ts'

/** The bodies of a partner's events after a sequence. */
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
