import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import { removeOldUndoData } from '../deals/row-store.ts'
import { isMissing } from '../files/disk-storage.ts'
import { removeOldLeaving } from './leaving-store.ts'
import type { ImportStorages } from './make-storages.ts'
import { undoRetentionDays } from './policy.ts'
import { leaseIdOf } from './s3-storage.ts'
import { findLiveLeases, endLeftovers } from './store.ts'

/**
 * Removes unfinished files after a week, and rejected rows and undo data after a month. Safe to run
 * concurrently. Returns the number removed.
 */
export async function removeOldImports(
  db: Database,
  { directory, all }: Pick<ImportStorages, 'directory' | 'all'>,
): Promise<number> {
  // Files are listed first, because an import is in the database before its file exists.
  const files = (await Promise.all(all.map((storage) => storage.list()))).flat()
  const needed = await endLeftovers(
    db,
    files.map(({ id }) => id),
  )
  const old = files.filter(({ id, isRejected }) => !(isRejected ? needed.rejected : needed.contents).has(id))
  for (const { remove } of old) await remove()
  return (
    old.length +
    (await removeLeftRuns(db, directory)) +
    (await removeOldUndoData(db, undoRetentionDays)) +
    (await removeOldLeaving(db))
  )
}

/** Removes run directories that killed processes left behind. Returns the number removed. */
export async function removeLeftRuns(db: Database, directory: string): Promise<number> {
  // The directory is listed before the leases are read, because an import is leased before its directory is
  // created.
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const leaseIds = names.map(leaseIdOf).filter((leaseId) => leaseId !== null)
  if (leaseIds.length === 0) return 0
  const live = await findLiveLeases(db, leaseIds)
  const left = names.filter((name) => leaseIdOf(name) !== null && !live.has(leaseIdOf(name)!))
  for (const name of left) await rm(join(directory, name), { recursive: true, force: true })
  return left.length
}
