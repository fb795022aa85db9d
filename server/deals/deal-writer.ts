import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction, inBatches } from '#db/client.ts'
import { changesOf } from '../live/change.ts'
import { tellChanges } from '../live/store.ts'
import { addStages, rememberStages } from '../stages/store.ts'
import { type DealWrite, type ListedWrite, type Outcome, type PlannedWrite, decide } from './deal-plan.ts'
import { type PlannedEvent, eventOf, writeEvents } from './event-store.ts'
import { findPeople, keyOf } from './find/people-store.ts'
import { keepWrites } from './import/kept-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists, touchLists } from './list-store.ts'
import { loadCounties } from './map/counties.ts'
import { type PreparedWrite, type SavedDeal, prepareSaving, prepareWrite } from './prepared-write.ts'
import { parseDeal, renderDeal, renderVersion } from './render.ts'
import { copyDeals, updateDeals } from './row-store.ts'
import { readStored, readVersions } from './stored-store.ts'
import { rowOf } from './written-columns.ts'

/** Options of a batch. */
export interface WriteOptions {
  /** The time of the change, as events state it. */
  now: Date
  /** Up to when the sources have been read, as events say it; null or absent when they do not. */
  asOf?: Date | null
  /** False writes no events, for the first load of a partner. */
  events: boolean
  /** True computes the outcomes and writes nothing. */
  dryRun?: boolean
  /** Called for each deal to be created or updated, with its index among the writes. */
  planned?: (index: number, plan: PlannedWrite) => void
  /**
   * Called under the lock, if there is anything to write. False says that an earlier transaction has written all this:
   * then nothing is written, and the outcomes are those of the last attempt.
   */
  record?: (sql: TransactionSql) => Promise<boolean>
  /** The import whose undo needs the former deals. */
  undoableAs?: number
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
  return writePrepared(db, await prepareWrites(db, writes, options), options)
}

/**
 * Decides about writes and renders their deals, outside the writers' lock: deals that others write before it is taken are
 * decided about again. @system imports
 */
export async function prepareWrites(
  { $client: sql }: Database,
  writes: DealWrite[],
  { dryRun = false, planned }: Pick<WriteOptions, 'dryRun' | 'planned'>,
): Promise<PreparedWrite[]> {
  const stored = await readStored(
    sql,
    writes.map(({ record }) => record.id),
  )
  const prepared: PreparedWrite[] = []
  for (const [index, write] of writes.entries()) {
    if (index > 0 && index % preparedAtOnce === 0) await setImmediate()
    const there = stored.get(write.record.id)
    const { outcome, plan } = decide(write, there)
    if (plan !== undefined && outcome !== 'unchanged') planned?.(index, plan)
    prepared.push(prepareWrite({ outcome, ...(!dryRun && { plan }) }, there?.version, () => write))
  }
  await makeRows(sql, prepared)
  return prepared
}

/** Makes the rows of prepared deals, inserting the people that are new. @system imports */
export async function makeRows(
  sql: Database['$client'] | TransactionSql,
  prepared: readonly PreparedWrite[],
): Promise<void> {
  const deals = dealsOf(prepared)
  const rows = await rowsOf(sql, deals)
  for (const [index, deal] of deals.entries()) deal.row = rows[index]!
}

const dealsOf = (prepared: readonly PreparedWrite[]) => prepared.flatMap(({ deal }) => deal ?? [])

async function rowsOf(
  sql: Database['$client'] | TransactionSql,
  deals: readonly SavedDeal[],
): Promise<string[]> {
  if (deals.length === 0) return []
  const [personIds, counties] = await Promise.all([
    findPeople(
      sql,
      deals.flatMap(({ people }) => people),
    ),
    loadCounties(),
  ])
  return deals.map(({ people, point, cells }) =>
    rowOf(
      people.map((person) => ({ id: personIds.get(keyOf(person))!, roles: person.roles })),
      point && counties.at(point),
      cells,
    ),
  )
}

// Decided about and rendered without interruption, during which no other request is handled: about 20 ms.
const preparedAtOnce = 100

/** Writes what is prepared. Returns the outcome of each write, in order. @system imports */
export async function writePrepared(
  db: Database,
  prepared: PreparedWrite[],
  options: WriteOptions,
): Promise<Outcome[]> {
  if (dealsOf(prepared).length > 0) {
    const stages = await db.$client.begin((sql) => carryOut(db, sql, prepared, options))
    rememberStages(db, stages)
  }
  return prepared.map(({ outcome }) => outcome)
}

/**
 * Carries out what is planned. Statements that need no answer of each other are sent at once: the lock is held while they
 * wait for this process. Returns the new stages.
 */
async function carryOut(
  db: Database,
  sql: TransactionSql,
  prepared: PreparedWrite[],
  options: WriteOptions,
): Promise<string[]> {
  const before = dealsOf(prepared)
  const [, versions, isFirst] = await Promise.all([
    lockLists(
      sql,
      before.flatMap(({ partnerId }) => partnerId ?? []),
    ),
    readVersions(
      sql,
      before.map(({ id }) => id),
    ),
    options.record?.(sql),
  ])
  if (isFirst === false) return []
  await decideStaleAgain(sql, prepared, versions)
  const deals = dealsOf(prepared)
  if (deals.length === 0) return []
  const { fresh = [], known = [] } = Object.groupBy(deals, ({ stored }) =>
    stored === undefined ? 'fresh' : 'known',
  )
  const [, , listed, stages] = await Promise.all([
    options.undoableAs === undefined ? null : keepWrites(sql, options.undoableAs, writtenOf(prepared)),
    known.length > 0 && updateDeals(sql, rowsIn(known)),
    list(sql, deals, options),
    addStages(db, sql, deals),
    tellChanges(sql, changesOf(deals)),
  ])
  // Last, because nothing else may be sent meanwhile.
  if (fresh.length > 0) await copyDeals(sql, rowsIn(fresh))
  await writeEvents(sql, listed.events, listed.sequences, options)
  return stages
}

const rowsIn = (deals: readonly { row: string }[]) => deals.map(({ row }) => row)

/** Returns the ids of the deals that are created and updated; others are only rendered again. */
function writtenOf(prepared: readonly PreparedWrite[]): Record<'created' | 'updated', bigint[]> {
  const idsOf = (wanted: Outcome) =>
    prepared.flatMap(({ outcome, deal }) => (outcome === wanted && deal !== undefined ? [deal.id] : []))
  return { created: idsOf('created'), updated: idsOf('updated') }
}

/** Decides again about the deals that others have written since. */
async function decideStaleAgain(
  sql: TransactionSql,
  prepared: PreparedWrite[],
  versions: ReadonlyMap<bigint, string>,
): Promise<void> {
  const stale = prepared.filter(
    ({ deal, version }) => deal !== undefined && versions.get(deal.id) !== version,
  )
  if (stale.length === 0) return
  const stored = await readStored(
    sql,
    stale.map(({ deal }) => deal!.id),
  )
  for (const each of stale) {
    const there = stored.get(each.deal!.id)
    Object.assign(each, prepareWrite(decide(each.again(), there), there?.version, each.again))
  }
  await makeRows(sql, stale)
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
    await removeDeals(sql, [{ id, ...deal }])
    return { partnerId: deal.partnerId }
  })
}

/** Deletes deals and their file records, under the lock on the lists. @system imports */
export async function removeDeals(
  sql: TransactionSql,
  deals: { id: bigint; partnerId: number | null }[],
): Promise<void> {
  const places = deals.flatMap(({ id, partnerId }) =>
    [listOfAll, ...(partnerId === null ? [] : [partnerId])].map((listId) => ({ dealId: id, listId })),
  )
  await removeFromLists(sql, places)
  await sql`delete from deals where id = any(${deals.map(({ id }) => String(id))}::bigint[])`
  await touchLists(
    sql,
    places.map(({ listId }) => listId),
  )
  await tellChanges(sql, changesOf(deals.map((deal) => ({ ...deal, stored: undefined }))))
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
        return { id: BigInt(id), stored: { partnerId }, partnerId, json: renderDeal(deal), deal }
      })
      await updateDeals(sql, await rowsOf(sql, rendered.map(prepareSaving)))
      const shown = rendered.filter(({ json }, index) => json !== rows[index]!.json)
      if (shown.length > 0)
        await touchLists(sql, [listOfAll, ...shown.flatMap(({ partnerId }) => partnerId ?? [])])
      last = rows.at(-1)!
      return rows.length
    }),
  )
}

/** Gives deals their places in the lists. Returns their events, and the sequence before the first one of each list. */
async function list(
  sql: TransactionSql,
  deals: ListedWrite[],
  options: WriteOptions,
): Promise<{ events: PlannedEvent[]; sequences: Map<number, number> }> {
  await removeFromLists(
    sql,
    deals.flatMap(({ id, stored, partnerId }) =>
      stored === undefined || stored.partnerId === null || stored.partnerId === partnerId
        ? []
        : [{ dealId: id, listId: stored.partnerId }],
    ),
  )
  const events = options.events ? deals.flatMap(eventOf) : []
  const eventCounts = new Map<number, number>()
  for (const { partnerId } of events) eventCounts.set(partnerId, (eventCounts.get(partnerId) ?? 0) + 1)
  const arriving = Map.groupBy(
    deals.filter(({ stored, partnerId }) => stored === undefined || stored.partnerId !== partnerId),
    ({ partnerId }) => partnerId,
  )
  const fresh = deals.flatMap(({ id, stored }) => (stored === undefined ? [id] : []))
  const touched = new Set(
    deals.flatMap(({ partnerId, stored }) => [partnerId ?? [], stored?.partnerId ?? []].flat()),
  )
  const sequences = await growLists(sql, [
    { listId: listOfAll, dealIds: fresh, eventCount: 0 },
    ...[...touched].map((listId) => ({
      listId,
      dealIds: (arriving.get(listId) ?? []).map(({ id }) => id),
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  ])
  return { events, sequences }
}
