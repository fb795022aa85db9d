import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { makeStageOf } from '../stages/stage.ts'
import { addStages, readAllStages, rememberStages } from '../stages/store.ts'
import { loadCounties } from '../values/counties.ts'
import { type Point, pointOf } from '../values/point.ts'
import { unassignDeals } from './assignees/store.ts'
import { type PersonInRoles, peopleOf } from './columns.ts'
import { type DealChange, type DealWrite, type Decision, type Outcome, decide } from './deal-change.ts'
import { type EventFacts, factsBefore, factsOf } from './event-facts.ts'
import { type EventfulChange, type NewEvent, countByPartner, eventsOf, writeEvents } from './event-store.ts'
import { growLists, listOfAll, lockLists, removeFromLists } from './list-store.ts'
import { progressOf } from './milestones/evidence.ts'
import { findPeople, keyOf } from './people-store.ts'
import { copyDeals, updateDeals } from './row-store.ts'
import { readStored, readVersions } from './stored-store.ts'
import { saveUndoData } from './undo-data-store.ts'
import { type RowForm, type StatusAsOf, cellsOf, rowOf } from './written-columns.ts'

/** A write with its decision. */
export interface PreparedWrite {
  outcome: Outcome
  /** Undefined when nothing is to be written. */
  row: DealRow | undefined
  /** The partner that loses the deal, or would if the move were allowed; undefined for none. */
  leaves: number | undefined
  /** The version of the stored deal that the decision is based on; undefined for a new deal. */
  version: string | undefined
  /** Returns the write, to be decided again. */
  rebuild: () => DealWrite
  /** The stages and time that the row's status is based on. */
  asOf: StatusAsOf
}

/** A deal to be stored. Contains only what is needed, because many are in memory at the same time. */
interface DealRow extends EventfulChange, UnfinishedRow {
  stage: string
  progress: number
  /** Empty until its people have ids. */
  line: string
}

/** The row of a deal whose people have no ids yet. */
interface UnfinishedRow {
  people: PersonInRoles[]
  point: Point | null
  cells: string
}

/** Options of a batch. */
export interface WriteOptions {
  /** The time of the change, as shown in events. */
  now: Date
  /** The time up to which the sources have been read, for events; null or absent if unknown. */
  asOf?: Date | null
  /** False writes only events of removed deals, for the first load of a partner. */
  events: boolean
  /** True computes the outcomes and writes nothing. */
  dryRun?: boolean
  /** Called for each deal to be created or updated, with its index among the writes. */
  changed?: (index: number, change: DealChange) => void
  /**
   * Called while holding the lock if there is something to write. False means that an earlier transaction has
   * already written it: nothing is written, and the earlier outcomes stand.
   */
  record?: (sql: TransactionSql) => Promise<boolean>
  /** The import that stores the previous deals for its undo. */
  undoableAs?: number
}

/**
 * Writes deals, their list positions and their events in one transaction; each id may occur once. The only
 * writer of deal content, one at a time: the lock on the list of all deals assigns positions and sequences in
 * commit order. Returns the outcome of each write, in order.
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
 * Decides about writes and renders their deals outside the writers' lock. Deals that others write before the
 * lock is taken are decided again.
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

/** Prepares the decision about a write to a stored deal of this version. */
export function prepareWrite(
  { outcome, change, leaves }: Decision,
  version: string | undefined,
  rebuild: () => DealWrite,
  asOf: StatusAsOf,
): PreparedWrite {
  return { outcome, row: change && beginRow(change, asOf), leaves, version, rebuild, asOf }
}

/** Returns the row of a changed deal without its line, which requires the ids of its people. */
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

/** Returns the columns to save for a deal. */
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

/** Finishes the rows of prepared writes, inserting new people. @system imports */
export async function makeRows(
  sql: Database['$client'] | TransactionSql,
  prepared: readonly PreparedWrite[],
): Promise<void> {
  const rows = rowsOf(prepared)
  const lines = await linesOf(sql, rows)
  for (const [index, row] of rows.entries()) row.line = lines[index]!
}

const rowsOf = (prepared: readonly PreparedWrite[]) => prepared.flatMap(({ row }) => row ?? [])

/** Returns rows as lines for the database, inserting new people. @system imports */
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

// Decided and rendered without interruption, blocking other requests for about 20 ms.
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
 * Writes the prepared rows. Sends independent statements together, because the lock lasts while they wait for this
 * process. Returns the new stages.
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
  // COPY comes last: no other statement may be sent until it completes.
  if (fresh.length > 0) await copyDeals(sql, linesIn(fresh))
  await writeEvents(sql, listed.events, listed.sequences, options)
  return stages
}

const linesIn = (rows: readonly DealRow[]) => rows.map(({ line }) => line)

/** Returns the ids of created and updated deals, without those that are only rendered again. */
function writtenOf(prepared: readonly PreparedWrite[]): Record<'created' | 'updated', bigint[]> {
  const idsOf = (wanted: Outcome) =>
    prepared.flatMap(({ outcome, row }) => (outcome === wanted && row !== undefined ? [row.id] : []))
  return { created: idsOf('created'), updated: idsOf('updated') }
}

/** Decides again about deals that others have written since. */
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

/** Adds deals to their lists. Returns their events, and the sequence of each list before them. */
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
  // A partner always gets the event of a deal that it loses to the load of another partner, which sends no events.
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
    { listId: listOfAll, dealIds: fresh, eventCount: 0 },
    ...[...touched].map((listId) => ({
      listId,
      dealIds: (arriving.get(listId) ?? []).map(({ id }) => id),
      eventCount: eventCounts.get(listId) ?? 0,
    })),
  ])
  return { events, sequences }
}
