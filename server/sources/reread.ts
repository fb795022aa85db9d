import type { Database } from '#db/client.ts'
import { int64Max, int64Min } from '../values/int64.ts'
import { readAnnounced, settleAnnounced } from './announced-store.ts'
import type { CrmRecord, CrmSource, Window } from './crm-source.ts'
import { dealIdsOf } from './make-page.ts'
import { compareSoon, readOthers, readOwn, readSeen, recordDelay, saveArchivedPass } from './page-store.ts'
import { archivedPagesMax, lateMs, rereadEveryMs } from './policy.ts'
import { delayOf, lastIdOf } from './source-state.ts'
import type { LeasedSource } from './store.ts'

// Reads what windows of changes miss: announced deals, archived deals, and changes that became visible late.

export interface Reread {
  db: Database
  crm: CrmSource
  source: LeasedSource
  properties: readonly string[]
  lateMs: typeof lateMs
  /** @throws RunStoppedError when the run must end */
  throwIfStopped(): void
  /** Writes records that were looked up. Returns the ids of the accepted records. */
  write(records: readonly CrmRecord[]): Promise<ReadonlySet<string>>
  remove(ids: readonly bigint[]): Promise<void>
}

/** Returns true if an hourly task is due. */
export const isHourlyDue = (last: Date | null) =>
  last === null || Date.now() - last.getTime() >= rereadEveryMs

/** Looks up the deals that the CRM has announced. Writes deals that exist and removes the others. */
export async function rereadAnnounced(run: Reread): Promise<void> {
  const { db, source } = run
  for (;;) {
    run.throwIfStopped()
    const { ids, upTo } = await readAnnounced(db, source.id)
    if (upTo === null) return
    const records = await lookUp(run, ids)
    const found = new Set(records.flatMap(({ id, mergedIds = [] }) => [id, ...mergedIds]))
    await settleAnnounced(db, source.id, { ids, found: ids.filter((id) => found.has(String(id))) }, upTo)
  }
}

/**
 * Removes those of the deals that the source no longer has. Returns the ids that were stored for the source.
 */
export async function removeIfGone(run: Reread, ids: readonly string[]): Promise<bigint[]> {
  const own = await readOwn(run.db, run.source.id, ids)
  await run.remove(await goneOf(run.crm, own))
  return own
}

/** Returns the ids for which there is no record because it was archived, deleted, or merged. */
export async function goneOf(crm: CrmSource, ids: readonly bigint[]): Promise<bigint[]> {
  if (ids.length === 0) return []
  const there = new Set((await crm.readRecords(ids, [])).map(({ id }) => id))
  return ids.filter((id) => !there.has(String(id)))
}

/** Writes the records with these ids, and removes deals without a record. Returns the accepted records. */
async function lookUp(run: Reread, ids: readonly bigint[]): Promise<CrmRecord[]> {
  const { crm, db, source } = run
  if (ids.length === 0) return []
  const found = new Set<string>()
  const accepted: CrmRecord[] = []
  for (let at = 0; at < ids.length; at += crm.pageSize) {
    run.throwIfStopped()
    const records = await crm.readRecords(ids.slice(at, at + crm.pageSize), run.properties)
    for (const { id } of records) found.add(id)
    const written = await run.write(records)
    accepted.push(...records.filter(({ id }) => written.has(id)))
  }
  const gone = ids.filter((id) => !found.has(String(id)))
  if (gone.length > 0) await run.remove(await readOwn(db, source.id, gone.map(String)))
  return accepted
}

/**
 * Writes changes that became visible too late for their window: changes shortly before the window or, once an
 * hour, of the day before it. First compares only times, then reads records whose times differ.
 */
export async function rereadLate(run: Reread, window: Window, isDay: boolean): Promise<void> {
  const { db, crm, source } = run
  const backMs = isDay ? run.lateMs.hourly : run.lateMs.eachPoll
  const before = { fromMs: Math.max(0, window.fromMs - backMs), toMs: window.fromMs }
  let delayMs = 0
  for (let afterId = int64Min; ;) {
    run.throwIfStopped()
    const { records } = await crm.readChanges(before, afterId, [])
    if (records.length > 0) {
      const seen = await readSeen(
        db,
        source.id,
        records.map(({ id }) => id),
      )
      const missed = records.filter(({ id, modifiedMs }) => (seen.get(id) ?? -1) < modifiedMs)
      for (const { id, modifiedMs } of await lookUp(run, dealIdsOf(missed))) {
        // If no time is stored, it is unknown whether the change was late.
        if (modifiedMs <= window.fromMs && seen.get(id) !== 0)
          delayMs = Math.max(delayMs, delayOf(modifiedMs, window, source.pollS * 1000))
      }
      afterId = lastIdOf(records, afterId)
    }
    if (records.length < crm.pageSize) break
  }
  if (delayMs > 0) await recordDelay(db, source.id, delayMs)
}

/**
 * Finds deals that were removed or restored without a reported change. Runs every hour, using the CRM's list
 * of archived deals or, if there is no such list, the ids of all records. Reads a long list in parts.
 */
export async function rereadRemoved(run: Reread): Promise<void> {
  const { db, source } = run
  if (source.archivedAfter === null && !isHourlyDue(source.archivedReadAt)) return
  for (let pages = 0; pages < archivedPagesMax; pages++) {
    run.throwIfStopped()
    const next = await rereadPage(run, source.archivedAfter ?? '')
    source.archivedAfter = next
    await saveArchivedPass(db, source, next)
    if (next === null) break
  }
  if (source.archivedAfter === null) source.archivedReadAt = new Date()
}

/** Reads a page of archived deals or of all ids. Returns the start of the next page. */
async function rereadPage(run: Reread, after: string): Promise<string | null> {
  const { db, crm, source } = run
  if (crm.readArchived !== undefined) {
    const { ids, next } = await crm.readArchived(after)
    await removeIfGone(run, ids)
    return next
  }
  const { records, next } = await crm.readAll(after, [])
  const ids = dealIdsOf(records)
  const range = {
    after: after === '' ? null : BigInt(after),
    upTo: next === null ? int64Max : BigInt(next),
  }
  const gone = await goneOf(crm, await readOthers(db, source.id, { ...range, ids }))
  // Whether removals need approval depends on their total, which only the comparison knows for several pages.
  if (after === '' && next === null) await run.remove(gone)
  else if (gone.length > 0) await compareSoon(db, source)
  const seen = await readSeen(db, source.id, ids.map(String))
  await lookUp(
    run,
    ids.filter((id) => !seen.has(String(id))),
  )
  return next
}
