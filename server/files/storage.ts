import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the contents of files are kept, each under its file's id. */
export interface FileStorage {
  /** Keeps what is at `path` on this machine, or these bytes. */
  put(id: string, content: string | Buffer): Promise<void>
  /** Forgets the content; nothing happens when there is none. */
  remove(id: string): Promise<void>
  /** The path of the content on this machine. */
  pathOf(id: string): string
}

/** Keeps contents in a directory on disk. */
export function directoryStorage(directory: string): FileStorage {
  const pathOf = (id: string) => join(directory, id)
  return {
    async put(id, content) {
      await mkdir(directory, { recursive: true })
      // Renamed into place, so that a killed process leaves no half of a file behind.
      const unfinished = pathOf(`.${id}.unfinished`)
      if (typeof content === 'string') await copyFile(content, unfinished)
      else await writeFile(unfinished, content)
      await rename(unfinished, pathOf(id))
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    pathOf,
  }
}
