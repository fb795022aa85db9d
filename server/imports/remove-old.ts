import type { Database } from '#db/client.ts'
import { listFiles, removeContent, removeRejected } from './import-files.ts'
import { endLeftovers } from './store.ts'

/**
 * Removes files abandoned for a week, and rejected lines a month after their import; several processes may do
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
  return old.length
}
