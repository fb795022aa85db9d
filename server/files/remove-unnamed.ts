import { text } from 'node:stream/consumers'
import type { Database } from '#db/client.ts'
import { ApiError } from '../errors.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { dayMs } from '../values/units.ts'
import { type Storages, ContentMissingError, type Storage } from './storage.ts'
import { findSignedFile, findUnnamed, readDatabaseIdentity, removeIfUnnamed } from './store.ts'
import { type StoredUpload, deleteUpload, findOldUploads } from './upload-store.ts'

/** Numbers of stored objects, of unreferenced objects, and of removed objects. */
export interface SweepCounts {
  contents: number
  unnamed: number
  removed: number
}

/** Newer unreferenced objects are kept, because a file that references them may be inserted later. */
const keptMs = dayMs

/** Matches file IDs, slices of uploads, and copies that are being scanned. Other keys are never removed. */
const contentKey = /^[A-Za-z0-9_-]+(?:\.(?:\d+|new))?$/

/** An object that names the database which sweeps this storage. Its age is the time since the last sweep. */
const ownerKey = '.sweep'

/** Removes stored content, unless a file references it. @proof the content's id */
export async function removeUnnamed(db: Database, storage: Storage, id: string): Promise<void> {
  if ((await findSignedFile(db, id)) === undefined) await storage.remove(id)
}

/** Counts all objects in a storage, and the unreferenced ones. */
async function countUnnamed(db: Database, storage: Storage): Promise<SweepCounts> {
  const counts = { contents: 0, unnamed: 0, removed: 0 }
  for await (const keys of contentKeys(storage)) {
    counts.contents += keys.length
    counts.unnamed += (await findUnnamed(db, keys)).length
  }
  return counts
}

/**
 * Removes unreferenced objects older than a day, until `isStopping` returns true. Returns the number of
 * removed objects.
 */
async function removeUnnamedContents(
  db: Database,
  storage: Storage,
  isStopping: () => boolean,
): Promise<number> {
  let removed = 0
  for await (const keys of contentKeys(storage))
    for (const key of await findUnnamed(db, keys)) {
      if (isStopping()) return removed
      const isOld = async () => ((await storage.ageMs(key)) ?? 0) > keptMs
      // Checks the age without a lock first, because most unreferenced objects are recent.
      if ((await isOld()) && (await removeIfUnnamed(db, key, isOld, () => storage.remove(key)))) removed++
    }
  return removed
}

async function* contentKeys(storage: Storage): AsyncIterable<string[]> {
  for await (const keys of storage.keys()) yield keys.filter((key) => contentKey.test(key))
}

/** Returns the storages that this portal writes to. */
const sweptStorages = ({ disk, current }: Storages): Storage[] => [...new Set<Storage>([disk, current])]

interface SweepServices {
  db: Database
  storages: Storages
}

type Log = Record<'info' | 'warn', (fields: object, text: string) => void>

/** Aborts multipart uploads of files and imports that were left by killed processes more than a day ago. */
async function abortOldUploads(
  { current, imports }: Storages,
  log: Log,
  isStopping: () => boolean,
): Promise<void> {
  let aborted = 0
  try {
    for (const storage of [current, imports])
      aborted += (await storage?.abortUploads?.(keptMs, isStopping)) ?? 0
  } catch (error) {
    // The store may not support listing uploads, or our key may lack permission. The sweep continues anyway.
    if (!(error instanceof ApiError)) throw error
    log.warn({ storage: current.name, problem: error.message }, 'multipart uploads not aborted')
  }
  if (aborted > 0) log.info({ storage: current.name, aborted }, 'aborted multipart uploads older than a day')
}

/**
 * Sweeps all storages once a day, in whichever process gets to it first, and aborts old multipart uploads.
 * Skips a storage that is swept by another database, because this database may be a copy. Also skips a
 * storage if this database references less than half of its objects, because a restore may be in progress.
 * @system retention
 */
export async function sweepDaily(
  { db, storages, log }: SweepServices & { log: Log },
  isStopping: () => boolean,
): Promise<void> {
  const identity = await readDatabaseIdentity(db)
  for (const storage of sweptStorages(storages)) {
    const sweptMs = await storage.ageMs(ownerKey)
    if (sweptMs !== null && sweptMs < dayMs) continue
    // Multipart uploads are not referenced by any database, so aborting them is always safe.
    if (storage === storages.current) await abortOldUploads(storages, log, isStopping)
    const counts = await countUnnamed(db, storage)
    if (counts.contents === 0) continue
    const owner = await readOwner(storage)
    const where = { storage: storage.name, contents: counts.contents, unnamed: counts.unnamed }
    if (owner !== null && owner !== identity)
      log.warn(where, 'contents not swept: another database sweeps this storage')
    else if (counts.unnamed > counts.contents / 2)
      log.warn(where, 'contents not swept: the database references less than half of them')
    else {
      await storage.put(ownerKey, Buffer.from(identity))
      const removed = counts.unnamed === 0 ? 0 : await removeUnnamedContents(db, storage, isStopping)
      if (removed > 0) log.info({ ...where, removed }, 'removed unreferenced contents')
    }
  }
}

/**
 * Sweeps all storages now, and marks them as swept by this database. Returns the counts by storage.
 * @system operators
 */
export async function sweepNow({ db, storages }: SweepServices): Promise<Record<string, SweepCounts>> {
  const found: Record<string, SweepCounts> = {}
  const identity = await readDatabaseIdentity(db)
  for (const storage of sweptStorages(storages)) {
    const counts = await countUnnamed(db, storage)
    if (counts.contents > 0) await storage.put(ownerKey, Buffer.from(identity))
    found[storage.name] = { ...counts, removed: await removeUnnamedContents(db, storage, () => false) }
  }
  return found
}

/** Counts the objects in all storages without removing any. @system operators */
export async function countAllUnnamed({ db, storages }: SweepServices): Promise<Record<string, SweepCounts>> {
  const found: Record<string, SweepCounts> = {}
  for (const storage of sweptStorages(storages)) found[storage.name] = await countUnnamed(db, storage)
  return found
}

const readOwner = (storage: Storage): Promise<string | null> =>
  storage.open(ownerKey).then(text, (error: unknown) => {
    if (error instanceof ContentMissingError) return null
    throw error
  })

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
