import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../errors.ts'
import { isMissing } from '../files/disk-storage.ts'
import type { DirectoryGuard } from '../files/store-problem.ts'
import { type ImportStorage, openRejectedLines } from './import-storage.ts'

const chunkBytes = 256 * 1024

/** Returns the import storage in `directory`, which all processes share. `guard` handles its errors. */
export function diskImports(directory: string, guard: DirectoryGuard): ImportStorage {
  const contentPath = (id: number) => join(directory, String(id))
  const rowsPath = (id: number) => join(directory, `${id}.rows`)
  const rejectedPath = (id: number) => join(directory, `${id}.rejected.csv`)
  const makeDirectory = () => mkdir(directory, { recursive: true, mode: 0o700 })
  const remove = (path: string) => guard.asking('remove', () => rm(path, { force: true }))
  async function removeContent({ id }: { id: number }): Promise<void> {
    await remove(rowsPath(id))
    await remove(contentPath(id))
  }
  const removeRejected = (id: number) => remove(rejectedPath(id))
  return {
    name: 'disk',
    writeSlice: (id, offset, bytes) =>
      guard.asking('write', async () => {
        await makeDirectory()
        await writeAt(contentPath(id), offset, bytes)
      }),
    filesOf: ({ id }) => ({
      contentPath: contentPath(id),
      rowsPath: rowsPath(id),
      fetchContent: async () => {},
      readChecksum: () => checksumOf(contentPath(id)),
      async openRejected() {
        await makeDirectory()
        return openRejectedLines(rejectedPath(id))
      },
      keepRejected: async () => {},
      remove: () => remove(rowsPath(id)),
    }),
    hasRejected: (id) =>
      guard.asking('look up', () =>
        access(rejectedPath(id)).then(
          () => true,
          (error: unknown) => {
            if (isMissing(error)) return false
            throw error
          },
        ),
      ),
    readRejected: (id) => guard.reading(createReadStream(rejectedPath(id), { highWaterMark: chunkBytes })),
    removeContent,
    removeRejected,
    async list() {
      const names = await guard.asking('list', () =>
        readdir(directory).catch((error: unknown) => {
          if (isMissing(error)) return []
          throw error
        }),
      )
      return names.flatMap((name) => {
        const [, digits, rejected] = /^(\d{1,9})(\.rejected\.csv)?$/.exec(name) ?? []
        if (digits === undefined) return []
        const [id, isRejected] = [Number(digits), rejected !== undefined]
        return { id, isRejected, remove: () => (isRejected ? removeRejected(id) : removeContent({ id })) }
      })
    },
    runProblem: (error) => guard.translate('import', error),
  }
}

/**
 * Writes bytes to a file at `offset`, and truncates what an interrupted write left after them.
 * @throws ApiError if the file before `offset` is gone
 */
async function writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    if ((await file.stat()).size < offset)
      throw new ApiError(
        'GONE',
        'The uploaded part of the file no longer exists. Discard it and upload it again.',
      )
    await file.truncate(offset)
    await file.appendFile(bytes)
  } finally {
    await file.close()
  }
}

/** Returns the hexadecimal SHA-256 of a file. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return hash.digest('hex')
}
