import type { TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { type EventFacts, factsOf } from './event-facts.ts'
import { countByPartner, removalOf, writeEvents } from './event-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import { parseKnown } from './render.ts'
import { type StoredDeal, readStored } from './stored-store.ts'

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
      dealIds: [],
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  )
  await writeEvents(sql, events, sequences, { now: new Date() })
  await notifyChanges(sql, changesOf(deals.map((deal) => ({ ...deal, stored: undefined }))))
}

const factsOfStored = (deal: StoredDeal | undefined): EventFacts | null =>
  deal === undefined ? null : { before: factsOf(parseKnown(deal.json, deal.given)), after: null }
