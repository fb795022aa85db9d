import { join } from 'node:path'
import { ApiError } from '../errors.ts'
import type { Storages } from '../files/storage.ts'
import { requireFreeDisk, guardDirectory, logFailures } from '../files/store-problem.ts'
import { diskImports } from './disk-storage.ts'
import type { ImportStorage, ImportStorageName } from './import-storage.ts'
import { storeImports } from './s3-storage.ts'

export interface ImportStorages {
  /** Directory for temporary files. */
  directory: string
  /** Storage for new files. */
  current: ImportStorage
  all: ImportStorage[]
  /**
   * Checks that the disk of the directory has enough space for the file or for its local copy.
   * @throws ApiError 503
   */
  requireRoom(sizeBytes: number): Promise<void>
  /** Returns the storage with this name. @throws ApiError 503 if it is not configured */
  of(name: ImportStorageName): ImportStorage
}

/** Returns the import storages: the data directory and, if configured, the object store. */
export function importStoragesOf({
  config,
  storages,
  log,
}: {
  config: { dataDir: string }
  storages: Pick<Storages, 'imports' | 'disk'>
  log: Parameters<typeof logFailures>[0]
}): ImportStorages {
  const directory = join(config.dataDir, 'imports')
  const guard = guardDirectory(directory, logFailures(log))
  const requireRoom = (sizeBytes: number) => requireFreeDisk(storages.disk, sizeBytes)
  const disk = withRoom(diskImports(directory, guard), requireRoom)
  const store =
    storages.imports === null ? null : withRoom(storeImports(storages.imports, directory, guard), requireRoom)
  return {
    directory,
    current: store ?? disk,
    requireRoom,
    all: store === null ? [disk] : [store, disk],
    of(name) {
      if (name === 'disk') return disk
      if (store === null)
        throw new ApiError('SERVICE_UNAVAILABLE', 'The file is in an object store that is not configured')
      return store
    },
  }
}

/** Wraps the storage so that a run begins only if the disk has enough space for the file. */
const withRoom = (
  storage: ImportStorage,
  requireRoom: (sizeBytes: number) => Promise<void>,
): ImportStorage => ({
  ...storage,
  filesOf(leased) {
    const files = storage.filesOf(leased)
    return {
      ...files,
      async fetchContent(check) {
        await requireRoom(leased.sizeBytes)
        await files.fetchContent(check)
      },
    }
  },
})
