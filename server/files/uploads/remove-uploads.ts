import type { Database } from '#db/client.ts'
import type { Storages } from '../storage.ts'
import { type StoredUpload, deleteUpload, findOldUploads } from './store.ts'

/** Returns the key of the slice that begins at `offset`; no id of a file has a dot. */
export const sliceKey = (id: string, offset: number) => `${id}.${offset}`

const uploadsAtOnce = 100

/** Removes an upload and its slices. Returns false if it does not exist. */
export async function removeUpload(
  db: Database,
  { current }: Storages,
  { id, offsets, receivedBytes }: StoredUpload,
): Promise<boolean> {
  // The last one may be stored and not recorded.
  for (const offset of new Set([...offsets, receivedBytes])) await current.remove(sliceKey(id, offset))
  return deleteUpload(db, id)
}

/** Removes uploads that nobody has finished in time. Returns how many. */
export async function removeOldUploads(db: Database, storages: Storages): Promise<number> {
  const old = await findOldUploads(db, uploadsAtOnce)
  for (const upload of old) await removeUpload(db, storages, upload)
  return old.length
}
