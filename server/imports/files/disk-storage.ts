import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../protocol/errors.ts'
import type { ImportStorage } from './import-storage.ts'
import { checksumOf } from './read-checksum.ts'
import { openRejectedLines } from './rejected-storage.ts'

const chunkBytes = 256 * 1024

/** Returns the storage of imports in `directory`, which all processes share. */
export function diskImports(directory: string): ImportStorage {
  const contentPath = (id: number) => join(directory, String(id))
  const rowsPath = (id: number) => join(directory, `${id}.rows`)
  const rejectedPath = (id: number) => join(directory, `${id}.rejected.csv`)
  const makeDirectory = () => mkdir(directory, { recursive: true, mode: 0o700 })
  const remove = (path: string) => rm(path, { force: true })
  async function removeContent({ id }: { id: number }): Promise<void> {
    await remove(rowsPath(id))
    await remove(contentPath(id))
  }
  const removeRejected = (id: number) => remove(rejectedPath(id))
  return {
    name: 'disk',
    async writeSlice(id, offset, bytes) {
      try {
        await makeDirectory()
        await writeAt(contentPath(id), offset, bytes)
      } catch (error) {
        throw isDiskFull(error)
          ? new ApiError('SERVICE_UNAVAILABLE', 'The disk of the server is full')
          : error
      }
    },
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
      access(rejectedPath(id)).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false
          throw error
        },
      ),
    readRejected: (id) => createReadStream(rejectedPath(id), { highWaterMark: chunkBytes }),
    removeContent,
    removeRejected,
    async list() {
      const names = await readdir(directory).catch(() => [])
      return names.flatMap((name) => {
        const [, digits, rejected] = /^(\d{1,9})(\.rejected\.csv)?$/.exec(name) ?? []
        if (digits === undefined) return []
        const [id, isRejected] = [Number(digits), rejected !== undefined]
        return { id, isRejected, remove: () => (isRejected ? removeRejected(id) : removeContent({ id })) }
      })
    },
  }
}

/**
 * Writes bytes to a file at `offset`, truncating what an interrupted write has left there.
 * @throws ApiError when the file before `offset` is gone
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

/** Returns whether the error is a full disk, or a missing file. */
export const isDiskFull = (error: unknown) => hasCode(error, ['ENOSPC', 'EDQUOT'])
export const isMissing = (error: unknown) => hasCode(error, ['ENOENT'])

const hasCode = (error: unknown, codes: unknown[]) =>
  error instanceof Error && 'code' in error && codes.includes(error.code)
