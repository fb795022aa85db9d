import type { TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction, inBatches } from '#db/client.ts'
import { addStages, rememberStages } from '../stages/store.ts'
import { type Change, applyRecord, changesBetween, isEventful } from './change.ts'
import type { Deal, DealRecord } from './deal.ts'
import { type EventType, renderEvent } from './event.ts'
import { derivedColumns, peopleOf, plainColumns } from './find/columns.ts'
import { findPeople, keyOf } from './find/people-store.ts'
import { hasRoomForWords } from './find/search.ts'
import { addToList, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import { progressOf } from './milestones/milestone.ts'
import { parseDeal, renderDeal, renderVersion } from './render.ts'
import { type StoredDeal, readStored } from './stored-store.ts'
import { derivedAndKeys, writtenColumns, plainValues, columnUpdates } from './written-columns.ts'

/** A record to write; an undefined `partnerId` keeps the deal's partner, null removes it. */
export interface DealWrite {
  record: DealRecord
  partnerId: number | null | undefined
}

/**
 * The result of a write. `no partner` (a new deal without one) and `too many words` (a deal too long to be
 * searched) write nothing.
 */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'no partner' | 'too many words'

/** Options of a batch. */
export interface WriteOptions {
  /** The time of the change, as events state it. */
  now: Date
  /** False writes no events, for the first load of a partner. */
  events: boolean
  /** True computes the outcomes and writes nothing. */
  dryRun?: boolean
  /** Called for each deal to be created or updated, with its index among the writes. */
  planned?: (index: number, plan: PlannedWrite) => void
}

/** A deal before and after a write. */
export interface PlannedWrite {
  id: bigint
  stored: StoredDeal | undefined
  partnerId: number | null
  json: string
  deal: Deal | DealRecord
  changes: Change[]
}

/**
 * Writes deals, their places in the lists and their events in one transaction; each id may occur once. This
 * is the only place that writes deals, one writer at a time: the lock on the list of all deals assigns
 * positions and sequences in commit order. Returns the outcome of each write, in order.
 * @system imports
 */
export async function writeDeals(
  db: Database,
  writes: DealWrite[],
  options: WriteOptions,
): Promise<Outcome[]> {
  const { outcomes, stages } = await db.$client.begin(async (sql) => {
    await lockLists(
      sql,
      writes.flatMap(({ partnerId }) => partnerId ?? []),
    )
    const stored = await readStored(
      sql,
      writes.map(({ record }) => record.id),
    )
    const decided = writes.map((write) => decide(write, stored.get(write.record.id)))
    for (const [index, { outcome, plan }] of decided.entries())
      if (plan !== undefined && outcome !== 'unchanged') options.planned?.(index, plan)
    const plans = decided.flatMap(({ plan }) => plan ?? [])
    const isWritten = plans.length > 0 && options.dryRun !== true
    if (isWritten) await carryOut(sql, plans, options)
    return {
      outcomes: decided.map(({ outcome }) => outcome),
      stages: isWritten ? await addStages(db, sql, plans, progressOf) : [],
    }
  })
  rememberStages(db, stages)
  return outcomes
}

/**
 * Deletes a deal and its file records. Returns its partner, or undefined when the deal does not exist.
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
    const listIds = [listOfAll, ...(deal.partnerId === null ? [] : [deal.partnerId])]
    await removeFromLists(
      sql,
      listIds.map((listId) => ({ dealId: id, listId })),
    )
    await sql`delete from deals where id = ${String(id)}`
    await touchLists(sql, listIds)
    return { partnerId: deal.partnerId }
  })
}

// About 100 ms, during which other writers wait for the lock.
const oldDealsAtOnce = 250

/**
 * Re-renders deals of older versions, JSON and columns, without events. Each batch is a transaction under the
 * writers' lock: several processes may run it, beside imports, and it resumes where it stopped. Returns how
 * many deals it rendered; stops early once `isStopping`.
 * @system the start
 */
export async function renderOldDeals(db: Database, isStopping = () => false): Promise<number> {
  // One index look-up, whatever the planner assumes about their number.
  const [oldest] = await db.$client<
    { version: number }[]
  >`select render_version as version from deals order by render_version, id limit 1`
  if (oldest === undefined || oldest.version >= renderVersion) return 0
  // Each batch begins after the previous one: until a vacuum, the index also leads to rows that are done.
  let last = { version: -1, id: '0' }
  return inBatches(oldDealsAtOnce, () =>
    db.$client.begin(async (sql) => {
      if (isStopping()) return 0
      await lockLists(sql, [])
      const rows = await sql<{ id: string; version: number; partnerId: number | null; json: string }[]>`
      select id, render_version as version, partner_id as "partnerId", json from deals
      where render_version < ${renderVersion}
        and (render_version, id) > (${last.version}::smallint, ${last.id}::bigint)
      order by render_version, id limit ${oldDealsAtOnce}`
      if (rows.length === 0) return 0
      const rendered = rows.map(({ id, partnerId, json }) => {
        const deal = parseDeal(json)
        return { id: BigInt(id), partnerId, json: renderDeal(deal), deal }
      })
      await saveDeals(sql, rendered)
      const shown = rendered.filter(({ json }, index) => json !== rows[index]!.json)
      if (shown.length > 0)
        await touchLists(sql, [listOfAll, ...shown.flatMap(({ partnerId }) => partnerId ?? [])])
      last = rows.at(-1)!
      return rows.length
    }),
  )
}

/** The decision about one write. An unchanged deal has a plan when it is to be re-rendered. */
interface Decision {
  outcome: Outcome
  plan?: PlannedWrite
}

function decide(write: DealWrite, stored: StoredDeal | undefined): Decision {
  const decision = compare(write, stored)
  const { outcome, plan } = decision
  return plan === undefined || outcome === 'unchanged' || hasRoomForWords(plan.deal, plan.json.length)
    ? decision
    : { outcome: 'too many words' }
}

function compare({ record, partnerId }: DealWrite, stored: StoredDeal | undefined): Decision {
  const { id } = record
  const rendered = renderDeal(record)
  if (stored === undefined) {
    return partnerId === undefined
      ? { outcome: 'no partner' }
      : { outcome: 'created', plan: { id, stored, partnerId, json: rendered, deal: record, changes: [] } }
  }
  const owner = partnerId === undefined ? stored.partnerId : partnerId
  const isMoved = owner !== stored.partnerId
  // A record with every field renders to the stored text when nothing has changed, and the stored text need
  // not be parsed.
  if (rendered === stored.json && stored.isCurrent) {
    return isMoved
      ? {
          outcome: 'updated',
          plan: { id, stored, partnerId: owner, json: rendered, deal: record, changes: [] },
        }
      : { outcome: 'unchanged' }
  }
  const before = parseDeal(stored.json)
  const after = applyRecord(before, record)
  // Deals are compared, not their texts: an older version's text differs although nothing has changed.
  const changes = changesBetween(before, after)
  const outcome = changes.length > 0 || isMoved ? 'updated' : 'unchanged'
  if (outcome === 'unchanged' && stored.isCurrent) return { outcome }
  return { outcome, plan: { id, stored, partnerId: owner, json: renderDeal(after), deal: after, changes } }
}

async function carryOut(sql: TransactionSql, plans: PlannedWrite[], options: WriteOptions): Promise<void> {
  const fresh = plans.filter(({ stored }) => stored === undefined)
  const known = plans.filter(({ stored }) => stored !== undefined)
  await saveDeals(sql, plans)
  if (fresh.length > 0)
    await addToList(
      sql,
      listOfAll,
      fresh.map(({ id }) => id),
    )
  await removeFromLists(
    sql,
    known.flatMap(({ id, stored, partnerId }) =>
      stored!.partnerId === null || stored!.partnerId === partnerId
        ? []
        : [{ dealId: id, listId: stored!.partnerId }],
    ),
  )
  for (const [partnerId, shown] of Map.groupBy(plans, (plan) => plan.partnerId)) {
    if (partnerId === null) continue
    const arriving = shown.filter(({ stored }) => stored?.partnerId !== partnerId)
    if (arriving.length > 0)
      await addToList(
        sql,
        partnerId,
        arriving.map(({ id }) => id),
      )
    if (options.events) await writeEvents(sql, partnerId, shown, options.now)
  }
  await touchLists(sql, [
    listOfAll,
    ...plans.flatMap(({ partnerId, stored }) => [partnerId ?? [], stored?.partnerId ?? []].flat()),
  ])
}

/** Inserts or updates the deals with their derived columns. */
async function saveDeals(
  sql: TransactionSql,
  plans: Pick<PlannedWrite, 'id' | 'partnerId' | 'json' | 'deal'>[],
): Promise<void> {
  const people = plans.map(({ deal }) => peopleOf(deal))
  const ids = await findPeople(sql, people.flat())
  const rows = plans.map(({ id, partnerId, json, deal }, index) => [
    JSON.stringify({
      ...derivedColumns(deal),
      id: String(id),
      partner_id: partnerId,
      people: people[index]!.map((person) => ids.get(keyOf(person))),
    }),
    json,
  ])
  // PostgreSQL extracts the plain columns from the JSON: sending 40 values a deal through the driver takes
  // longer than everything else.
  await sql`
    insert into deals (${sql.unsafe(writtenColumns.join(', '))})
    select made.*, ${sql.unsafe(plainValues)}, row.json, ${renderVersion}::smallint
      from (values ${sql(rows as never)}) as row (made, json),
      json_to_record(row.made::json) as made (${sql.unsafe(
        Object.entries(derivedAndKeys)
          .map((entry) => entry.join(' '))
          .join(', '),
      )}),
      json_to_record(row.json::json) as plain (${sql.unsafe(plainColumns.map(({ field }) => `"${field}" text`).join(', '))})
    on conflict (id) do update set ${sql.unsafe(columnUpdates)}`
}

async function writeEvents(
  sql: TransactionSql,
  partnerId: number,
  plans: PlannedWrite[],
  now: Date,
): Promise<void> {
  const told = plans.flatMap((plan): { plan: PlannedWrite; type: EventType }[] => {
    if (plan.stored?.partnerId !== partnerId) return [{ plan, type: 'deal.created' }]
    return isEventful(plan.changes) ? [{ plan, type: 'deal.updated' }] : []
  })
  if (told.length === 0) return
  const [list] = await sql<[{ last: string }]>`
    update deal_lists set last_sequence = last_sequence + ${told.length} where id = ${partnerId}
      returning last_sequence as last`
  const before = Number(list.last) - told.length
  await sql`insert into events ${sql(
    told.map(({ plan, type }, index) => {
      const sequence = before + index + 1
      const changes = type === 'deal.created' ? [] : plan.changes
      const body = renderEvent({ type, timestamp: now, sequence, dealJson: plan.json, changes })
      return {
        partner_id: partnerId,
        sequence,
        type,
        deal_id: String(plan.id),
        created_at: now.toISOString(),
        body,
      }
    }),
  )}`
}

/**
 * Advances the revision of the lists; the clock time in it keeps revisions distinct after a back-up is
 * restored.
 */
async function touchLists(sql: TransactionSql, listIds: number[]): Promise<void> {
  await sql`
    update deal_lists
    set revision = greatest(revision + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
    where id = any(${[...new Set(listIds)]}::integer[])`
}
