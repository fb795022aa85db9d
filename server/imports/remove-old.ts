import type { Database } from '#db/client.ts'
import { removeOldKept } from '../deals/import/kept-store.ts'
import { listFiles, removeContent, removeRejected } from './import-files.ts'
import { undoKeptDays } from './policy.ts'
import { endLeftovers } from './store.ts'

/**
 * Removes files abandoned for a week, and a month after an import its rejected rows and what its undo needs; several processes may
 * so at once. Returns how many it removed.
 */
export async function removeOldImports(db: Database, directory: string): Promise<number> {
  // Listed first: an import is in the database before its file exists.
  const files = await listFiles(directory)
  const needed = await endLeftovers(
    db,
    files.map(({ id }) => id),
  )
  const old = files.filter(({ id, isRejected }) => !(isRejected ? needed.rejected : needed.contents).has(id))
  for (const { id, isRejected } of old) await (isRejected ? removeRejected : removeContent)(directory, id)
  return old.length + (await removeOldKept(db, undoKeptDays))
}
