import type { Database } from '#db/client.ts'
import type { StorageName } from './file.ts'
import { removeUnnamed } from './remove-unnamed.ts'
import { ContentMissingError, type Storage, type Storages } from './storage.ts'
import { type StoredFile, filesIn, recordMove, removeLeft } from './store.ts'

export interface MoveCounts {
  moved: number
  /** Files whose content is missing. */
  missing: number
  /** Files whose content differs from what was originally stored. */
  damaged: number
  /** Files whose content was removed from the previous storage. */
  removed: number
  /** Files whose content stays in the previous storage until URLs pointing there have expired. */
  waiting: number
}

interface MoveReport {
  problem(file: StoredFile, what: 'missing' | 'damaged'): void
  progress(counts: MoveCounts): void
}

const filesAtOnce = 4
const batchSize = 100

/**
 * Moves the content of all files to a storage. Copies each file, compares checksums and verifies the copy;
 * removes the originals last. Can be resumed after an interruption. Files stay readable during the move.
 * @throws ApiError 503 if a storage cannot be used
 */
export async function moveFiles(
  { db, storages, urlTtlS }: { db: Database; storages: Storages; urlTtlS: number },
  toName: StorageName,
  report: MoveReport,
): Promise<MoveCounts> {
  const [from, to] = [storages.of(toName === 's3' ? 'disk' : 's3'), storages.of(toName)]
  const counts: MoveCounts = { moved: 0, missing: 0, damaged: 0, removed: 0, waiting: 0 }
  for (let after = ''; ;) {
    const files = await filesIn(db, from.name, after, batchSize)
    const last = files.at(-1)
    if (last === undefined) break
    after = last.id
    for (let start = 0; start < files.length; start += filesAtOnce)
      await Promise.all(
        files.slice(start, start + filesAtOnce).map(async (file) => {
          const outcome = await moveFile(db, file, from, to)
          if (outcome === 'missing' || outcome === 'damaged') report.problem(file, outcome)
          if (outcome !== 'gone') counts[outcome]++
        }),
      )
    report.progress(counts)
  }
  // Signed URLs of the S3 store keep pointing there until they expire. Files on disk are served by this
  // process, which finds the new storage.
  const seconds = from.name === 's3' ? urlTtlS : 0
  for await (const keys of from.keys())
    for (let start = 0; start < keys.length; start += batchSize) {
      const left = { keys: keys.slice(start, start + batchSize), movedTo: to.name, seconds }
      const { removed, waiting } = await removeLeft(db, left, (key) => from.remove(key))
      counts.removed += removed
      counts.waiting += waiting
    }
  return counts
}

async function moveFile(
  db: Database,
  file: StoredFile,
  from: Storage,
  to: Storage,
): Promise<'moved' | 'missing' | 'damaged' | 'gone'> {
  const { id, sizeBytes } = file
  const stored = await from.open(id).then(
    (content) => to.put(id, content),
    (error: unknown) => {
      if (error instanceof ContentMissingError) return null
      throw error
    },
  )
  if (stored === null) return 'missing'
  if (stored.sizeBytes !== sizeBytes || (file.checksum !== null && file.checksum !== stored.checksum)) {
    await to.remove(id)
    return 'damaged'
  }
  const move = { id, from: from.name, to: to.name, checksum: stored.checksum }
  const isMoved = await recordMove(db, move, async () => (await to.sizeOf(id)) === sizeBytes)
  if (isMoved) return 'moved'
  // The file's deal was removed in the meantime, but the copy was not.
  await removeUnnamed(db, to, id)
  return 'gone'
}
