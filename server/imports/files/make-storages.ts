import { join } from 'node:path'
import type { Storages } from '../../files/storage.ts'
import { ApiError } from '../../protocol/errors.ts'
import { diskImports } from './disk-storage.ts'
import type { ImportStorage, ImportStorageName } from './import-storage.ts'
import { storeImports } from './s3-storage.ts'

/** The storages of imports. */
export interface ImportStorages {
  /** Directory for temporary files. */
  directory: string
  /** Where new files go. */
  current: ImportStorage
  all: ImportStorage[]
  /** Returns the storage with this name. @throws ApiError 503 when it is not configured */
  of(name: ImportStorageName): ImportStorage
}

/** Returns the storages of imports: the store if there is one, and the data directory. */
export function importStoragesOf({
  config,
  storages,
}: {
  config: { dataDir: string }
  storages: Pick<Storages, 'imports'>
}): ImportStorages {
  const directory = join(config.dataDir, 'imports')
  const disk = diskImports(directory)
  const store = storages.imports === null ? null : storeImports(storages.imports, directory)
  return {
    directory,
    current: store ?? disk,
    all: store === null ? [disk] : [store, disk],
    of(name) {
      if (name === 'disk') return disk
      if (store === null)
        throw new ApiError('SERVICE_UNAVAILABLE', 'The file is in an object store that is not configured')
      return store
    },
  }
}
