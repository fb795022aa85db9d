import { text } from 'node:stream/consumers'
import type { Database } from '#db/client.ts'
import { ApiError } from '../errors.ts'
import { dayMs } from '../values/units.ts'
import { ContentMissingError, type Storage, type Storages } from './storage.ts'
import { findSignedFile, findUnnamed, readDatabaseIdentity, removeIfUnnamed } from './store.ts'

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

/** Removes stored content, unless a file references it. */
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

/** Sweeps all storages now, and marks them as swept by this database. Returns the counts by storage. */
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

/** Counts the objects in all storages without removing any. */
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
