import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { signPath } from './signature.ts'

/** Stores the contents of files by file id. */
interface FileStorage {
  /** Stores the file at a path on this machine, or these bytes. */
  put(id: string, content: string | Buffer): Promise<void>
  /** Deletes the content, if it exists. */
  remove(id: string): Promise<void>
  /** Returns a URL that serves the content to anybody until `expiresAt` (whole seconds since 1970). */
  urlOf(id: string, expiresAt: number): string
}

/** A storage in a directory on disk, whose URLs this process serves itself (`download.ts`). */
export interface DirectoryStorage extends FileStorage {
  /** Returns the path of the content on this machine. */
  pathOf(id: string): string
}

/** Returns a storage in `directory`; `key` signs the URLs, which begin with `publicUrl`. */
export function directoryStorage({
  directory,
  key,
  publicUrl,
}: {
  directory: string
  key: Buffer
  publicUrl: string
}): DirectoryStorage {
  const pathOf = (id: string) => join(directory, id)
  return {
    async put(id, content) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      // Renamed into place once it is synced to disk, so that files known to the database are complete.
      const unfinished = pathOf(`.${id}.${randomUUID()}`)
      try {
        // Not as a copy of the file, which would have its mode, too.
        if (typeof content === 'string')
          await pipeline(
            createReadStream(content),
            createWriteStream(unfinished, { mode: 0o600, flush: true }),
          )
        else await writeFile(unfinished, content, { mode: 0o600, flush: true })
        await rename(unfinished, pathOf(id))
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    urlOf: (id, expiresAt) => publicUrl + signPath(key, id, expiresAt),
    pathOf,
  }
}
