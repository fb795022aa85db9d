import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../protocol/errors.ts'
import { signPath } from './signature.ts'
import { ContentMissingError, type DiskStorage, Measuring, type Storage, type Stored } from './storage.ts'

const keysAtOnce = 1000

/**
 * Returns a storage in `directory`, whose URLs this process serves itself (`download.ts`); `key` signs them, and they begin
 * with `publicUrl`.
 */
export function directoryStorage({
  directory,
  key,
  publicUrl,
}: {
  directory: string
  key: Buffer
  publicUrl: string
}): DiskStorage {
  const pathOf = (id: string) => join(directory, id)
  return {
    name: 'disk',
    pathOf,
    async put(id, content) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      // Renamed into place once it is synced to disk, so that files known to the database are complete.
      const unfinished = pathOf(`.${id}.${randomUUID()}`)
      try {
        const stored = await write(unfinished, content)
        await rename(unfinished, pathOf(id))
        return stored
      } catch (error) {
        await rm(unfinished, { force: true })
        throw hasCode(error, 'ENOSPC', 'EDQUOT')
          ? new ApiError('SERVICE_UNAVAILABLE', 'The disk of the server is full')
          : error
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    sizeOf: (id) =>
      stat(pathOf(id)).then(
        ({ size }) => size,
        (error: unknown) => {
          if (hasCode(error, 'ENOENT')) return null
          throw error
        },
      ),
    ageMs: (id) =>
      stat(pathOf(id)).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        (error: unknown) => {
          if (hasCode(error, 'ENOENT')) return null
          throw error
        },
      ),
    async open(id, range) {
      const file = await open(pathOf(id)).catch((error: unknown) => {
        throw hasCode(error, 'ENOENT') ? new ContentMissingError() : error
      })
      return file.createReadStream(range)
    },
    urlOf: async ({ id }, expiresAt) => publicUrl + signPath(key, id, expiresAt),
    keys: () => keysIn(directory),
    problem: () =>
      access(directory, constants.R_OK | constants.W_OK).then(
        () => null,
        (error: unknown) => (hasCode(error, 'ENOENT') ? null : `${directory} cannot be read or written`),
      ),
  }
}

async function* keysIn(directory: string): AsyncIterable<string[]> {
  let batch: string[] = []
  const entries = await opendir(directory).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  for await (const { name } of entries) {
    if (name.startsWith('.')) continue
    batch.push(name)
    if (batch.length < keysAtOnce) continue
    yield batch
    batch = []
  }
  yield batch
}

async function write(path: string, content: Parameters<Storage['put']>[1]): Promise<Stored> {
  if (Buffer.isBuffer(content)) {
    await writeFile(path, content, { mode: 0o600, flush: true })
    return { sizeBytes: content.length, checksum: createHash('sha256').update(content).digest('hex') }
  }
  const measuring = new Measuring()
  // Not as a copy of the file, which would have its mode, too.
  await pipeline(
    typeof content === 'string' ? createReadStream(content) : content,
    measuring,
    createWriteStream(path, { mode: 0o600, flush: true }),
  )
  return measuring.result()
}

const hasCode = (error: unknown, ...codes: unknown[]) =>
  error instanceof Error && 'code' in error && codes.includes(error.code)
