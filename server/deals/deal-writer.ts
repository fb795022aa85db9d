import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction, inBatches } from '#db/client.ts'
import { addStages, rememberStages } from '../stages/store.ts'
import { isEventful } from './change.ts'
import { type DealWrite, type Decision, type Outcome, type PlannedWrite, decide } from './deal-plan.ts'
import { type EventType, eventAround } from './event.ts'
import { peopleOf } from './find/columns.ts'
import { findPeople } from './find/people-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists, touchLists } from './list-store.ts'
import { progressOf } from './milestones/milestone.ts'
import { parseDeal, renderDeal, renderVersion } from './render.ts'
import { type VersionedDeal, readStored, readVersions } from './stored-store.ts'
import { cellValues, columnUpdates, nullCell, rowOf, writtenColumns } from './written-columns.ts'

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

/** A write, what is decided about it, and the row of the deal if it is to be written. */
interface PreparedWrite {
  write: DealWrite
  decision: Decision
  row: string
  /** The version of the stored deal that the decision is about; undefined for a new deal. */
  version: string | undefined
}

/** Writes prepared outside the writers' lock. Deals that others write before it is taken are decided about again. */
export type PreparedWrites = PreparedWrite[]

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
  return writePrepared(db, await prepareWrites(db, writes, options), options)
}

/** Decides about writes and renders their rows. @system imports */
export async function prepareWrites(
  { $client: sql }: Database,
  writes: DealWrite[],
  { dryRun = false }: Pick<WriteOptions, 'dryRun'>,
): Promise<PreparedWrites> {
  const stored = await readStored(
    sql,
    writes.map(({ record }) => record.id),
  )
  return decideAll(sql, writes, stored, !dryRun)
}

// Decided without interruption, during which no other request is handled: about 10 ms.
const decidedAtOnce = 100

async function decideAll(
  sql: Database['$client'] | TransactionSql,
  writes: DealWrite[],
  stored: ReadonlyMap<bigint, VersionedDeal>,
  withRows: boolean,
): Promise<PreparedWrites> {
  const prepared: PreparedWrites = []
  for (const [index, write] of writes.entries()) {
    if (index > 0 && index % decidedAtOnce === 0) await setImmediate()
    const there = stored.get(write.record.id)
    prepared.push({ write, decision: decide(write, there), row: '', version: there?.version })
  }
  const planned = prepared.filter(({ decision }) => decision.plan !== undefined)
  if (!withRows || planned.length === 0) return prepared
  const personIds = await findPeople(
    sql,
    planned.flatMap(({ decision }) => peopleOf(decision.plan!.deal)),
  )
  for (const [index, each] of planned.entries()) {
    if (index > 0 && index % decidedAtOnce === 0) await setImmediate()
    each.row = rowOf(each.decision.plan!, personIds)
  }
  return prepared
}

/** Writes what is prepared. Returns the outcome of each write, in order. @system imports */
export async function writePrepared(
  db: Database,
  prepared: PreparedWrites,
  options: WriteOptions,
): Promise<Outcome[]> {
  const planned = () => prepared.filter(({ decision }) => decision.plan !== undefined)
  if (options.dryRun !== true && planned().length > 0) {
    const stages = await db.$client.begin(async (sql) => {
      await lockLists(
        sql,
        planned().flatMap(({ decision }) => decision.plan!.partnerId ?? []),
      )
      await decideStaleAgain(sql, prepared)
      const plans = planned().map(({ decision }) => decision.plan!)
      if (plans.length === 0) return []
      await saveDeals(
        sql,
        planned().map(({ row }) => row),
      )
      await list(sql, plans, options)
      return addStages(db, sql, plans, progressOf)
    })
    rememberStages(db, stages)
  }
  for (const [index, { decision }] of prepared.entries())
    if (decision.plan !== undefined && decision.outcome !== 'unchanged')
      options.planned?.(index, decision.plan)
  return prepared.map(({ decision }) => decision.outcome)
}

/** Decides again about the deals that others have written since. */
async function decideStaleAgain(sql: TransactionSql, prepared: PreparedWrites): Promise<void> {
  const planned = prepared.filter(({ decision }) => decision.plan !== undefined)
  const versions = await readVersions(
    sql,
    planned.map(({ write }) => write.record.id),
  )
  const stale = planned.filter(({ write, version }) => versions.get(write.record.id) !== version)
  if (stale.length === 0) return
  const writes = stale.map(({ write }) => write)
  const stored = await readStored(
    sql,
    writes.map(({ record }) => record.id),
  )
  const again = await decideAll(sql, writes, stored, true)
  for (const [index, each] of stale.entries()) Object.assign(each, again[index])
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
      const personIds = await findPeople(
        sql,
        rendered.flatMap(({ deal }) => peopleOf(deal)),
      )
      await saveDeals(
        sql,
        rendered.map((each) => rowOf(each, personIds)),
      )
      const shown = rendered.filter(({ json }, index) => json !== rows[index]!.json)
      if (shown.length > 0)
        await touchLists(sql, [listOfAll, ...shown.flatMap(({ partnerId }) => partnerId ?? [])])
      last = rows.at(-1)!
      return rows.length
    }),
  )
}

/** Inserts or updates the deals of these rows. */
async function saveDeals(sql: TransactionSql, rows: string[]): Promise<void> {
  await sql`
    insert into deals (${sql.unsafe(writtenColumns.join(', '))})
    select ${sql.unsafe(cellValues)} from string_to_table(${rows.join('\n')}, chr(10)) as line,
      string_to_array(line, chr(9), ${nullCell}) as cell
    on conflict (id) do update set ${sql.unsafe(columnUpdates)}`
}

/** Gives saved deals their places in the lists, and writes their events. */
async function list(sql: TransactionSql, plans: PlannedWrite[], options: WriteOptions): Promise<void> {
  await removeFromLists(
    sql,
    plans.flatMap(({ id, stored, partnerId }) =>
      stored === undefined || stored.partnerId === null || stored.partnerId === partnerId
        ? []
        : [{ dealId: id, listId: stored.partnerId }],
    ),
  )
  const events = options.events ? plans.flatMap(eventOf) : []
  const eventCounts = new Map<number, number>()
  for (const { partnerId } of events) eventCounts.set(partnerId, (eventCounts.get(partnerId) ?? 0) + 1)
  const arriving = Map.groupBy(
    plans.filter(({ stored, partnerId }) => stored === undefined || stored.partnerId !== partnerId),
    ({ partnerId }) => partnerId,
  )
  const fresh = plans.flatMap(({ id, stored }) => (stored === undefined ? [id] : []))
  const touched = new Set(
    plans.flatMap(({ partnerId, stored }) => [partnerId ?? [], stored?.partnerId ?? []].flat()),
  )
  const sequences = await growLists(sql, [
    { listId: listOfAll, dealIds: fresh, eventCount: 0 },
    ...[...touched].map((listId) => ({
      listId,
      dealIds: (arriving.get(listId) ?? []).map(({ id }) => id),
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  ])
  await writeEvents(sql, events, sequences, options.now)
}

interface PlannedEvent {
  plan: PlannedWrite
  partnerId: number
  type: EventType
}

/** Returns the event of a write, if it warrants one. */
function eventOf(plan: PlannedWrite): PlannedEvent[] {
  const { partnerId, stored, changes } = plan
  if (partnerId === null) return []
  if (stored?.partnerId !== partnerId) return [{ plan, partnerId, type: 'deal.created' }]
  return isEventful(changes) ? [{ plan, partnerId, type: 'deal.updated' }] : []
}

/** Writes the events; `sequences` are the last ones of the partners before them. */
async function writeEvents(
  sql: TransactionSql,
  events: PlannedEvent[],
  sequences: ReadonlyMap<number, number>,
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  const last = new Map(sequences)
  const numbered = events.map(({ plan, partnerId, type }) => {
    const sequence = last.get(partnerId)! + 1
    last.set(partnerId, sequence)
    const changes = type === 'deal.created' ? [] : plan.changes
    return {
      partnerId,
      sequence,
      type,
      id: String(plan.id),
      ...eventAround({ type, timestamp: now, sequence, changes }),
    }
  })
  const column = <Name extends keyof (typeof numbered)[number]>(name: Name) =>
    numbered.map((event) => event[name])
  // The JSON is at hand in the database: it is read from the deal, look-up by look-up whatever the planner assumes.
  await sql`
    insert into events (partner_id, sequence, type, deal_id, created_at, body)
    select partner_id, sequence, type, deal_id, ${now.toISOString()},
      head || (select json from deals where id = deal_id) || tail
    from unnest(${column('partnerId')}::integer[], ${column('sequence')}::bigint[], ${column('type')}::text[],
      ${column('id')}::bigint[], ${column('head')}::text[], ${column('tail')}::text[])
      as event (partner_id, sequence, type, deal_id, head, tail)`
}
