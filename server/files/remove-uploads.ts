import type { Database } from '#db/client.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { removeUnnamed } from './remove-unnamed.ts'
import type { Storages } from './storage.ts'
import { type StoredUpload, deleteUpload, findOldUploads } from './upload-store.ts'

/**
 * Returns the key of the slice that begins at `offset` and has this name. The key contains a dot, which file
 * IDs never do.
 */
export const sliceKey = (id: string, offset: number, name?: string) =>
  name === undefined ? `${id}.${offset}` : `${id}.${offset}.${name}`

/**
 * Returns the keys of all recorded slices of an upload. The first slices may have been stored by an earlier
 * version, which gave slices no names.
 */
export const sliceKeysOf = ({
  id,
  offsets,
  names,
}: Pick<StoredUpload, 'id' | 'offsets' | 'names'>): string[] =>
  offsets.map((offset, at) => sliceKey(id, offset, names[at - offsets.length + names.length]))

/**
 * Removes an upload with all its slices, and the assembled content unless a file references it. `deleteRow`
 * deletes the upload's row.
 * @proof the upload
 */
export async function removeUpload(
  db: Database,
  { current }: Storages,
  upload: StoredUpload,
  deleteRow = () => deleteUpload(db, upload.id),
): Promise<void> {
  const { id } = upload
  const removed = new Set<string>()
  const removeSlices = async (stored: StoredUpload) => {
    // A slice that was stored but never recorded is removed by the daily sweep.
    for (const key of new Set(sliceKeysOf(stored)).difference(removed)) {
      await current.remove(key)
      removed.add(key)
    }
  }
  // Slices are removed before the row, so that an interrupted removal can be repeated.
  await removeSlices(upload)
  const last = await deleteRow()
  if (last !== undefined) await removeSlices(last)
  await removeUnnamed(db, current, id)
}

/** Sends jobs that remove unfinished uploads which have expired. @system retention */
export async function sendUploadRemovals(db: Database): Promise<void> {
  const jobs = (await findOldUploads(db)).map(({ id }) => ({ data: { uploadId: id }, key: id }))
  await sendJobs(db.$client, 'remove-upload', jobs)
}

/** Removes an unfinished upload if it has expired. @system retention */
export async function removeOldUpload(db: Database, storages: Storages, id: string): Promise<void> {
  const [upload] = await findOldUploads(db, id)
  if (upload !== undefined) await removeUpload(db, storages, upload)
}
