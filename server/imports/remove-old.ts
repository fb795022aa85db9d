import type { Database } from '#db/client.ts'
import { removeOldUndoData } from '../deals/row-store.ts'
import type { ImportStorages } from './files/make-storages.ts'
import { removeLeftRuns } from './files/remove-left-runs.ts'
import { removeOldLeaving } from './leaving-store.ts'
import { undoRetentionDays } from './policy.ts'
import { endLeftovers } from './store.ts'

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
