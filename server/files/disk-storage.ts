import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ContentMissingError, type DiskStorage, Measuring, type Storage, type Stored } from './storage.ts'
import { freeBytesOf, guardDirectory, type StoreFailure } from './store-problem.ts'

const keysAtOnce = 1000

/**
 * Returns a storage that keeps content in `directory`. This process serves the content (`download.ts`).
 * `report` is called with the reason if the directory cannot be used.
 */
export function directoryStorage({
  directory,
  report = () => {},
}: {
  directory: string
  report?: (failure: StoreFailure) => void
}): DiskStorage {
  const pathOf = (id: string) => join(directory, id)
  const { asking, reading, translate } = guardDirectory(directory, report)
  const find = (id: string) =>
    asking('look up', () =>
      stat(pathOf(id)).catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      }),
    )
  return {
    name: 'disk',
    pathOf,
    async put(id, content) {
      try {
        return await put(directory, id, content)
      } catch (error) {
        // A read error comes from the source, not from this directory.
        throw hasSyscall(error, 'read') ? error : translate('write', error)
      }
    },
    remove: (id) => asking('remove', () => rm(pathOf(id), { force: true })),
    freeBytes: () => asking('look up', () => freeBytesOf(directory)),
    sizeOf: async (id) => (await find(id))?.size ?? null,
    async ageMs(id) {
      const found = await find(id)
      return found === null ? null : Date.now() - found.mtimeMs
    },
    async open(id, range) {
      const file = await asking('read', () =>
        open(pathOf(id)).catch((error: unknown) => {
          throw isMissing(error) ? new ContentMissingError() : error
        }),
      )
      return reading(file.createReadStream(range))
    },
    async *keys() {
      try {
        yield* keysIn(directory)
      } catch (error) {
        throw translate('list', error)
      }
    },
    readProblem: (error) => translate('read', error),
    problem: () =>
      access(`${directory}/.`, constants.R_OK | constants.W_OK).then(
        () => null,
        (error: unknown) => (isMissing(error) ? null : `${directory} cannot be read or written`),
      ),
  }
}

async function put(directory: string, id: string, content: Parameters<Storage['put']>[1]): Promise<Stored> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // Renamed only after syncing to disk, so that files in the database are always complete.
  const unfinished = join(directory, `.${id}.${randomUUID()}`)
  try {
    const stored = await write(unfinished, content)
    await rename(unfinished, join(directory, id))
    return stored
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {})
    throw error
  }
}

async function* keysIn(directory: string): AsyncIterable<string[]> {
  let batch: string[] = []
  const entries = await opendir(directory).catch((error: unknown) => {
    if (isMissing(error)) return []
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
  // Streams instead of copying the file, because a copy would have the permissions of the source.
  await pipeline(
    typeof content === 'string' ? createReadStream(content) : content,
    measuring,
    createWriteStream(path, { mode: 0o600, flush: true }),
  )
  return measuring.result()
}

const hasSyscall = (error: unknown, syscall: string) =>
  error instanceof Error && 'syscall' in error && error.syscall === syscall

/** Returns true if the error means that a file or directory does not exist. */
export const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
