import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { makeStageOf } from '../stages/stage.ts'
import { addStages, readAllStages, rememberStages } from '../stages/store.ts'
import { type DealWrite, type ListedWrite, type Outcome, type PlannedWrite, decide } from './deal-plan.ts'
import { type PlannedEvent, eventOf, writeEvents } from './event-store.ts'
import { findPeople, keyOf } from './find/people-store.ts'
import { keepWrites } from './import/kept-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import { loadCounties } from './map/counties.ts'
import { type PreparedWrite, type SavedDeal, prepareWrite } from './prepared-write.ts'
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
 * Writes deals, their places in the lists and their events in one transaction; each id may occur once.
 * Nothing else writes what a deal says (`render-old-store.ts` renders it again, `removal-store.ts` removes it), one writer at
 * a time: the lock on the list of all deals assigns positions and sequences in commit order. Returns the outcome of each write, in order.
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
  db: Database,
  writes: DealWrite[],
  { dryRun = false, planned }: Pick<WriteOptions, 'dryRun' | 'planned'>,
): Promise<PreparedWrite[]> {
  const [stored, stages] = await Promise.all([
    readStored(
      db.$client,
      writes.map(({ record }) => record.id),
    ),
    readAllStages(db),
  ])
  const asOf = { stageOf: makeStageOf(stages), nowMs: Date.now() }
  const prepared: PreparedWrite[] = []
  for (const [index, write] of writes.entries()) {
    if (index > 0 && index % preparedAtOnce === 0) await setImmediate()
    const there = stored.get(write.record.id)
    const { outcome, plan } = decide(write, there)
    if (plan !== undefined && outcome !== 'unchanged') planned?.(index, plan)
    prepared.push(prepareWrite({ outcome, ...(!dryRun && { plan }) }, there?.version, () => write, asOf))
  }
  await makeRows(db.$client, prepared)
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

/** Returns the rows of deals as the database takes them, inserting the people that are new. @system imports */
export async function rowsOf(
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
    const stages = await db.$client.begin((sql) => writePlanned(db, sql, prepared, options))
    rememberStages(db, stages)
  }
  return prepared.map(({ outcome }) => outcome)
}

/**
 * Writes what is planned. Statements that need no answer of each other are sent at once: the lock is held while they
 * wait for this process. Returns the new stages.
 */
async function writePlanned(
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
  await retryConflicts(sql, prepared, versions)
  const deals = dealsOf(prepared)
  if (deals.length === 0) return []
  const { fresh = [], known = [] } = Object.groupBy(deals, ({ stored }) =>
    stored === undefined ? 'fresh' : 'known',
  )
  const [, , listed, stages] = await Promise.all([
    options.undoableAs === undefined ? null : keepWrites(sql, options.undoableAs, writtenOf(prepared)),
    known.length > 0 && updateDeals(sql, rowsIn(known)),
    placeInLists(sql, deals, options),
    addStages(db, sql, deals),
    notifyChanges(sql, changesOf(deals)),
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
async function retryConflicts(
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
    Object.assign(each, prepareWrite(decide(each.again(), there), there?.version, each.again, each.asOf))
  }
  await makeRows(sql, stale)
}

/** Gives deals their places in the lists. Returns their events, and the sequence before the first one of each list. */
async function placeInLists(
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
