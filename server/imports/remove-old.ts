import type { Database } from '#db/client.ts'
import { listFiles, removeContent, removeRejected } from './import-files.ts'
import { endLeftovers } from './store.ts'

/**
 * Removes files that nobody has gone on with for a week, and rejected lines a month after their import; several processes may do so at once.
 * Gives how many are gone.
 */
export async function removeOldImports(db: Database, directory: string): Promise<number> {
  // Read first: an import is in the database before there is a file of it.
  const files = await listFiles(directory)
  const needed = await endLeftovers(
    db,
    files.map(({ id }) => id),
  )
  const old = files.filter(({ id, isRejected }) => !(isRejected ? needed.rejected : needed.contents).has(id))
  for (const { id, isRejected } of old) await (isRejected ? removeRejected : removeContent)(directory, id)
  return old.length
}
