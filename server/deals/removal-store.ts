import type { TransactionSql } from 'postgres'
import { type Database, type Rest, inBatches, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import type { StoredDeal } from './change.ts'
import { type EventFacts, factsOf } from './event-facts.ts'
import { countByPartner, removalOf, writeEvents } from './event-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import { parseKnown } from './render.ts'
import { readStored } from './row-store.ts'

/**
 * Deletes a deal and the records of its files. Returns the deal's partner, or undefined if the deal does not
 * exist.
 * @system operators
 */
export async function deleteDeal(
  db: Database | Transaction,
  id: bigint,
): Promise<{ partnerId: number | null } | undefined> {
  return db.transaction(async (tx) => {
    const sql = driverTransaction(tx)
    await lockLists(sql, [])
    const [deal] = await sql<
      { partnerId: number | null }[]
    >`select partner_id as "partnerId" from deals where id = ${String(id)}`
    if (deal === undefined) return undefined
    await removeDeals(sql, [{ id, ...deal }])
    return { partnerId: deal.partnerId }
  })
}

/**
 * Deletes deals and the records of their files, and writes an event for each deal. Holds the lock on the
 * lists.
 * @system imports
 */
export async function removeDeals(
  sql: TransactionSql,
  deals: { id: bigint; partnerId: number | null }[],
): Promise<void> {
  const places = deals.flatMap(({ id, partnerId }) =>
    [listOfAll, ...(partnerId === null ? [] : [partnerId])].map((listId) => ({ dealId: id, listId })),
  )
  await removeFromLists(sql, places)
  const stored = await readStored(
    sql,
    deals.map(({ id }) => id),
  )
  await sql`delete from deals where id = any(${deals.map(({ id }) => String(id))}::bigint[])`
  const events = deals.flatMap(({ id, partnerId }) =>
    partnerId === null ? [] : [removalOf(id, partnerId, factsOfStored(stored.get(id)))],
  )
  const eventCounts = countByPartner(events)
  const sequences = await growLists(
    sql,
    [listOfAll, ...eventCounts.keys()].map((listId) => ({
      listId,
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  )
  await writeEvents(sql, events, sequences, { now: new Date() })
  await notifyChanges(sql, changesOf(deals.map((deal) => ({ ...deal, stored: undefined }))))
}

const factsOfStored = (deal: StoredDeal | undefined): EventFacts | null =>
  deal === undefined ? null : { before: factsOf(parseKnown(deal.json, deal.given)), after: null }

/** Number of events deleted per statement. Deleting this many takes a few milliseconds and blocks nothing. */
const batchSize = 1000

/**
 * Deletes a partner's events that are older than `days`, in batches, oldest first. Returns the number of
 * deleted events.
 */
export function removeOldEvents(
  db: Database,
  partnerId: PartnerId,
  days: number,
  rest?: Rest,
): Promise<number> {
  // Each batch starts after the previous one, because deleted rows stay in the index until the next vacuum.
  let after = 0
  return inBatches(
    batchSize,
    async () => {
      // Stops at the first event that must be kept, so that a clock that was set back does not cause a gap.
      // Deletes rows by physical position, so that the planner has no other choice.
      const [row] = await db.$client<[{ count: number; last: number | null }]>`
        with oldest as materialized (
          select ctid as place, sequence, created_at >= now() - ${days} * interval '1 day' as is_kept from events
            where partner_id = ${partnerId} and sequence > ${after} order by sequence limit ${batchSize}),
        removed as (
          delete from events where ctid = any(array(
            select place from oldest
              where sequence < all(select sequence from oldest where is_kept order by sequence limit 1)))
          returning sequence),
        unfounded as (
          delete from event_facts
            where partner_id = ${partnerId} and sequence = any(array(select sequence from removed)))
        select count(*)::integer as count, max(sequence)::float8 as last from removed`
      after = row.last ?? after
      return row.count
    },
    rest,
  )
}
