import type { Database } from '#db/client.ts'
import { sendJobs } from '../../jobs/send-store.ts'
import { removeUnnamed } from '../remove-unnamed.ts'
import type { Storages } from '../storage.ts'
import { type StoredUpload, deleteUpload, findOldUploads } from './store.ts'

/** Returns the key of the slice with this name that begins at `offset`; file ids contain no dot. */
export const sliceKey = (id: string, offset: number, name?: string) =>
  name === undefined ? `${id}.${offset}` : `${id}.${offset}.${name}`

/** Returns the keys of the recorded slices of an upload; the first ones may be from before slices had names. */
export const sliceKeysOf = ({
  id,
  offsets,
  names,
}: Pick<StoredUpload, 'id' | 'offsets' | 'names'>): string[] =>
  offsets.map((offset, at) => sliceKey(id, offset, names[at - offsets.length + names.length]))

/**
 * Removes an upload with its slices, and the assembled content unless it has become a file; `deleteRow`
 * deletes its row.
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
    // The sweep removes a slice that is stored without a record.
    for (const key of new Set(sliceKeysOf(stored)).difference(removed)) {
      await current.remove(key)
      removed.add(key)
    }
  }
  // First, so that an interrupted removal can be repeated.
  await removeSlices(upload)
  const last = await deleteRow()
  if (last !== undefined) await removeSlices(last)
  await removeUnnamed(db, current, id)
}

/** Sends the jobs that remove expired unfinished uploads. @system retention */
export async function sendUploadRemovals(db: Database): Promise<void> {
  const jobs = (await findOldUploads(db)).map(({ id }) => ({ data: { uploadId: id }, key: id }))
  await sendJobs(db.$client, 'remove-upload', jobs)
}

/** Removes an unfinished upload if it has expired. @system retention */
export async function removeOldUpload(db: Database, storages: Storages, id: string): Promise<void> {
  const [upload] = await findOldUploads(db, id)
  if (upload !== undefined) await removeUpload(db, storages, upload)
}
