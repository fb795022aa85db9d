import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signPath } from './signature.ts'

/** Where the contents of files are kept, each under its file's id. */
export interface FileStorage {
  /** Keeps what is at `path` on this machine, or these bytes. */
  put(id: string, content: string | Buffer): Promise<void>
  /** Forgets the content; nothing happens when there is none. */
  remove(id: string): Promise<void>
  /** The address under which anybody can have the content until `expiresAt` (whole seconds since 1970). */
  addressOf(id: string, expiresAt: number): string
}

/** A storage in a directory on disk, whose addresses this process answers itself (`download.ts`). */
export interface DirectoryStorage extends FileStorage {
  /** The path of the content on this machine. */
  pathOf(id: string): string
}

/** Keeps contents in `directory`; `key` signs the addresses, which begin with `publicUrl`. */
export function directoryStorage({ directory, key, publicUrl }: { directory: string; key: Buffer; publicUrl: string }): DirectoryStorage {
  const pathOf = (id: string) => join(directory, id)
  return {
    async put(id, content) {
      await mkdir(directory, { recursive: true })
      // Renamed into place when it is safely on disk, so that what the database knows of is whole.
      const unfinished = pathOf(`.${id}.${randomUUID()}`)
      try {
        if (typeof content === 'string') await copyFile(content, unfinished)
        else await writeFile(unfinished, content)
        const file = await open(unfinished, 'r+')
        await file.sync().finally(() => file.close())
        await rename(unfinished, pathOf(id))
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    addressOf: (id, expiresAt) => publicUrl + signPath(key, id, expiresAt),
    pathOf,
  }
}
