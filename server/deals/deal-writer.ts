import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { makeStageOf } from '../stages/stage.ts'
import { addStages, readAllStages, rememberStages } from '../stages/store.ts'
import { loadCounties } from '../values/counties.ts'
import { type Point, pointOf } from '../values/point.ts'
import { unassignDeals } from './assignee-store.ts'
import { type DealChange, type DealWrite, type Decision, type Outcome, decide } from './change.ts'
import { type PersonInRoles, peopleOf } from './columns.ts'
import { type EventFacts, factsBefore, factsOf } from './event-facts.ts'
import { type EventfulChange, type NewEvent, countByPartner, eventsOf, writeEvents } from './event-store.ts'
import { progressOf } from './evidence.ts'
import { growLists, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import {
  findPeople,
  keyOf,
  copyDeals,
  updateDeals,
  saveUndoData,
  readStored,
  readVersions,
} from './row-store.ts'
import { type RowForm, type StatusAsOf, cellsOf, rowOf } from './written-columns.ts'

export interface PreparedWrite {
  outcome: Outcome
  row: DealRow | undefined
  /**
   * The partner that loses the deal, or that would lose it if moving were allowed; undefined if there is
   * none.
   */
  leaves: number | undefined
  /** The version of the stored deal that the decision is based on; undefined for a new deal. */
  version: string | undefined
  /** Returns the write again, so that it can be decided again after a conflict. */
  rebuild: () => DealWrite
  asOf: StatusAsOf
}

/** A deal to store. Contains only what is needed, because many rows are in memory at the same time. */
interface DealRow extends EventfulChange, UnfinishedRow {
  stage: string
  progress: number
  /** The row as text; empty until its people have IDs. */
  line: string
}

/** The row of a deal whose people do not have IDs yet. */
interface UnfinishedRow {
  people: PersonInRoles[]
  point: Point | null
  cells: string
}

export interface WriteOptions {
  /** The time of the change, as shown in events. */
  now: Date
  /** The time up to which sources have been read, as shown in events; null or absent if unknown. */
  asOf?: Date | null
  /** If false, only removed deals create events. Used for the first load of a partner. */
  events: boolean
  dryRun?: boolean
  /** Called for each deal that is created or updated, with the index of the write. */
  changed?: (index: number, change: DealChange) => void
  /**
   * Called while the lock is held if there is anything to write. Returns false if an earlier transaction has
   * already written this batch; in that case nothing is written, and the outcomes are those of the earlier
   * transaction.
   */
  record?: (sql: TransactionSql) => Promise<boolean>
  /** The import for whose undo the previous deals are stored. */
  undoableAs?: number
}

/**
 * Writes deals, their positions in lists and their events in one transaction. Each ID may occur only once.
 * All changes to deals go through this function, one batch at a time: the lock on the list of all deals
 * ensures that positions and sequences are assigned in commit order. Returns the outcome of each write, in
 * order.
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
 * Decides and renders writes before taking the writers' lock. Deals that are changed before the lock is taken
 * are decided again later.
 * @system imports
 */
export async function prepareWrites(
  db: Database,
  writes: DealWrite[],
  { dryRun = false, changed }: Pick<WriteOptions, 'dryRun' | 'changed'>,
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
    const storedDeal = stored.get(write.record.id)
    const { outcome, change } = decide(write, storedDeal)
    if (change !== undefined && outcome !== 'unchanged') changed?.(index, change)
    prepared.push(
      prepareWrite({ outcome, ...(!dryRun && { change }) }, storedDeal?.version, () => write, asOf),
    )
  }
  await makeRows(db.$client, prepared)
  return prepared
}

/** Prepares a write for which the decision has been made. */
export function prepareWrite(
  { outcome, change, leaves }: Decision,
  version: string | undefined,
  rebuild: () => DealWrite,
  asOf: StatusAsOf,
): PreparedWrite {
  return { outcome, row: change && beginRow(change, asOf), leaves, version, rebuild, asOf }
}

/**
 * Returns the row of a changed deal. The row's text is still missing, because it requires the IDs of the
 * deal's people.
 */
function beginRow(change: DealChange, asOf: StatusAsOf): DealRow {
  const { id, stored, partnerId, changes, deal } = change
  return {
    id,
    stored: stored && { partnerId: stored.partnerId },
    partnerId,
    changes,
    facts: factsOfChange(change),
    stage: deal.stage ?? '',
    progress: progressOf(deal, asOf.nowMs),
    line: '',
    ...cellsToSave(stored === undefined ? 'copied' : 'split', change, asOf),
  }
}

function factsOfChange({ stored, deal, changes }: DealChange): EventFacts {
  const after = factsOf(deal)
  return { before: stored === undefined ? null : factsBefore(deal, after, changes), after }
}

/** Returns the columns to store for a deal. */
export function cellsToSave(
  form: RowForm,
  change: Pick<DealChange, 'id' | 'partnerId' | 'json' | 'deal'>,
  asOf: StatusAsOf,
): UnfinishedRow {
  return {
    people: peopleOf(change.deal),
    point: pointOf(change.deal.coordinates ?? ''),
    cells: cellsOf(form, change, asOf),
  }
}

/** Completes the rows of prepared writes. Inserts people who are not stored yet. @system imports */
export async function makeRows(
  sql: Database['$client'] | TransactionSql,
  prepared: readonly PreparedWrite[],
): Promise<void> {
  const rows = rowsOf(prepared)
  const lines = await linesOf(sql, rows)
  for (const [index, row] of rows.entries()) row.line = lines[index]!
}

const rowsOf = (prepared: readonly PreparedWrite[]) => prepared.flatMap(({ row }) => row ?? [])

/** Returns rows as text for the database. Inserts people who are not stored yet. @system imports */
export async function linesOf(
  sql: Database['$client'] | TransactionSql,
  rows: readonly UnfinishedRow[],
): Promise<string[]> {
  if (rows.length === 0) return []
  const [personIds, counties] = await Promise.all([
    findPeople(
      sql,
      rows.flatMap(({ people }) => people),
    ),
    loadCounties(),
  ])
  return rows.map(({ people, point, cells }) =>
    rowOf(
      people.map((person) => ({ id: personIds.get(keyOf(person))!, roles: person.roles })),
      point && counties.at(point),
      cells,
    ),
  )
}

// Number of deals prepared before other requests get a turn, which takes about 20 ms.
const preparedAtOnce = 100

/** Writes prepared deals. Returns the outcome of each write, in order. @system imports */
export async function writePrepared(
  db: Database,
  prepared: PreparedWrite[],
  options: WriteOptions,
): Promise<Outcome[]> {
  if (rowsOf(prepared).length > 0) {
    const stages = await db.$client.begin((sql) => writeRows(db, sql, prepared, options))
    rememberStages(db, stages)
  }
  return prepared.map(({ outcome }) => outcome)
}

/**
 * Writes the prepared rows. Sends independent statements together, because other writers wait for the lock
 * until all have completed. Returns the new stages.
 */
async function writeRows(
  db: Database,
  sql: TransactionSql,
  prepared: PreparedWrite[],
  options: WriteOptions,
): Promise<string[]> {
  const before = rowsOf(prepared)
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
  const rows = rowsOf(prepared)
  if (rows.length === 0) return []
  const { fresh = [], known = [] } = Object.groupBy(rows, ({ stored }) =>
    stored === undefined ? 'fresh' : 'known',
  )
  const [, , listed, stages] = await Promise.all([
    options.undoableAs === undefined ? null : saveUndoData(sql, options.undoableAs, writtenOf(prepared)),
    known.length > 0 && updateDeals(sql, linesIn(known)),
    placeInLists(sql, rows, options),
    addStages(db, sql, rows),
    notifyChanges(sql, changesOf(rows)),
  ])
  // COPY comes last, because no other statement may be sent until it has completed.
  if (fresh.length > 0) await copyDeals(sql, linesIn(fresh))
  await writeEvents(sql, listed.events, listed.sequences, options)
  return stages
}

const linesIn = (rows: readonly DealRow[]) => rows.map(({ line }) => line)

/** Returns the IDs of created and of updated deals. Excludes unchanged deals that are only rendered again. */
function writtenOf(prepared: readonly PreparedWrite[]): Record<'created' | 'updated', bigint[]> {
  const idsOf = (wanted: Outcome) =>
    prepared.flatMap(({ outcome, row }) => (outcome === wanted && row !== undefined ? [row.id] : []))
  return { created: idsOf('created'), updated: idsOf('updated') }
}

/** Repeats the decision for deals that other writers have changed in the meantime. */
async function retryConflicts(
  sql: TransactionSql,
  prepared: PreparedWrite[],
  versions: ReadonlyMap<bigint, string>,
): Promise<void> {
  const stale = prepared.filter(({ row, version }) => row !== undefined && versions.get(row.id) !== version)
  if (stale.length === 0) return
  const stored = await readStored(
    sql,
    stale.map(({ row }) => row!.id),
  )
  for (const write of stale) {
    const { row, rebuild, asOf } = write
    const storedDeal = stored.get(row!.id)
    Object.assign(write, prepareWrite(decide(rebuild(), storedDeal), storedDeal?.version, rebuild, asOf))
  }
  await makeRows(sql, stale)
}

/** Adds deals to their lists. Returns the events, and the last sequence of each list before these events. */
async function placeInLists(
  sql: TransactionSql,
  rows: DealRow[],
  options: WriteOptions,
): Promise<{ events: NewEvent[]; sequences: Map<number, number> }> {
  const left = rows.flatMap(({ id, stored, partnerId }) =>
    stored === undefined || stored.partnerId === null || stored.partnerId === partnerId
      ? []
      : [{ dealId: id, listId: stored.partnerId }],
  )
  await unassignDeals(
    sql,
    left.map(({ dealId }) => dealId),
  )
  await removeFromLists(sql, left)
  // The first load of a partner creates no events, but if a deal is taken from another partner, that partner
  // still gets an event.
  const events = rows.flatMap(eventsOf).filter(({ type }) => options.events || type === 'deal.removed')
  const eventCounts = countByPartner(events)
  const arriving = Map.groupBy(
    rows.filter(({ stored, partnerId }) => stored === undefined || stored.partnerId !== partnerId),
    ({ partnerId }) => partnerId,
  )
  const fresh = rows.flatMap(({ id, stored }) => (stored === undefined ? [id] : []))
  const touched = new Set(
    rows.flatMap(({ partnerId, stored }) => [partnerId ?? [], stored?.partnerId ?? []].flat()),
  )
  const sequences = await growLists(sql, [
    { listId: listOfAll, dealIds: fresh },
    ...[...touched].map((listId) => ({
      listId,
      dealIds: (arriving.get(listId) ?? []).map(({ id }) => id),
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  ])
  return { events, sequences }
}
