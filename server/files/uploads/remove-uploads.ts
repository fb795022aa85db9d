import type { Database } from '#db/client.ts'
import { removeUnnamed } from '../remove-unnamed.ts'
import type { Storages } from '../storage.ts'
import { type StoredUpload, deleteUpload, findOldUploads } from './store.ts'

/** Returns the key of the slice that begins at `offset`; file ids contain no dot. */
export const sliceKey = (id: string, offset: number) => `${id}.${offset}`

const uploadsAtOnce = 100

/**
 * Removes an upload with its slices, and the assembled content unless it has become a file; `deleteRow`
 * deletes its row.
 */
export async function removeUpload(
  db: Database,
  { current }: Storages,
  upload: StoredUpload,
  deleteRow = () => deleteUpload(db, upload.id),
): Promise<void> {
  const { id } = upload
  const removed = new Set<number>()
  const removeSlices = async ({ offsets, receivedBytes }: StoredUpload) => {
    // The last one may be stored without a record.
    for (const offset of new Set([...offsets, receivedBytes]).difference(removed)) {
      await current.remove(sliceKey(id, offset))
      removed.add(offset)
    }
  }
  // First, so that an interrupted removal can be repeated.
  await removeSlices(upload)
  const last = await deleteRow()
  if (last !== undefined) await removeSlices(last)
  await removeUnnamed(db, current, id)
}

/** Removes expired unfinished uploads. Returns the count. */
export async function removeOldUploads(db: Database, storages: Storages): Promise<number> {
  const old = await findOldUploads(db, uploadsAtOnce)
  for (const upload of old) await removeUpload(db, storages, upload)
  return old.length
}
