import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { ContentMissingError, Measuring, type Storage } from '../files/storage.ts'
import type { DirectoryGuard } from '../files/store-problem.ts'
import {
  type FiledImport,
  type ImportStorage,
  type StoredUpload,
  type RunFiles,
  type RunningImport,
  openRejectedLines,
} from './import-storage.ts'

// Slices remain separate objects, because joining them would require reading the file again.

/** Number of slices fetched in parallel to hide latency. */
const slicesAtOnce = 4

const sliceKey = (id: number, offset: number) => `${id}.${offset}`
const rejectedKey = (id: number) => `${id}.rejected.csv`

/** Returns the directory of a run, within the directory of its process. */
export const runDirectory = (directory: string, leaseId: string) => join(directory, `run-${leaseId}`)

/** Returns the lease id in the name of a run directory, or null. */
export const leaseIdOf = (name: string) => /^run-([0-9a-f-]{36})$/.exec(name)?.[1] ?? null

/** Returns the import storage in an object store. A run copies the content to `directory`. */
export function storeImports(store: Storage, directory: string, guard: DirectoryGuard): ImportStorage {
  const removeRejected = (id: number) => store.remove(rejectedKey(id))
  return {
    name: 's3',
    async writeSlice(id, offset, bytes) {
      await store.put(sliceKey(id, offset), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    },
    filesOf: (leased) => runFiles(store, directory, leased),
    hasRejected: async (id) => (await store.sizeOf(rejectedKey(id))) !== null,
    readRejected: (id) => opened(() => store.open(rejectedKey(id))),
    async removeContent({ id, offsets, receivedBytes }) {
      // The last slice may be stored but not yet recorded.
      for (const offset of new Set([...offsets, receivedBytes])) await store.remove(sliceKey(id, offset))
    },
    removeRejected,
    async list() {
      const files: StoredUpload[] = []
      for await (const keys of store.keys())
        for (const key of keys) {
          const [, id, rest] = /^(\d{1,9})\.(\d+|rejected\.csv)$/.exec(key) ?? []
          if (id === undefined) continue
          const isRejected = rest === 'rejected.csv'
          files.push({ id: Number(id), isRejected, remove: () => store.remove(key) })
        }
      return files
    },
    runProblem: (error) => guard.translate('import', error),
  }
}

async function* opened(open: () => Promise<Readable>): AsyncIterable<Uint8Array> {
  yield* (await open()) as AsyncIterable<Uint8Array>
}

function runFiles(store: Storage, parent: string, leased: RunningImport): RunFiles {
  const directory = runDirectory(parent, leased.leaseId)
  const contentPath = join(directory, 'content')
  const rejectedPath = join(directory, 'rejected.csv')
  const makeDirectory = () => mkdir(directory, { recursive: true, mode: 0o700 })
  let fetched = ''
  return {
    contentPath,
    rowsPath: join(directory, 'rows'),
    async fetchContent(check) {
      await makeDirectory()
      const measuring = new Measuring()
      await pipeline(
        slicesOf(store, leased, check),
        measuring,
        createWriteStream(contentPath, { mode: 0o600 }),
      )
      const { sizeBytes, checksum } = measuring.result()
      // The imported file must be identical to the checked file.
      if (sizeBytes !== leased.sizeBytes || checksum !== (leased.checksum ?? checksum))
        throw new ContentMissingError()
      fetched = checksum
    },
    readChecksum: async () => fetched,
    async openRejected() {
      await makeDirectory()
      return openRejectedLines(rejectedPath)
    },
    keepRejected: async () => void (await store.put(rejectedKey(leased.id), rejectedPath)),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Yields a content slice by slice. Calls `check` before each slice. @throws ContentMissingError */
async function* slicesOf(
  store: Storage,
  { id, offsets }: FiledImport,
  check: () => void,
): AsyncIterable<Uint8Array> {
  for (let first = 0; first < offsets.length; first += slicesAtOnce) {
    check()
    yield* await Promise.all(
      offsets
        .slice(first, first + slicesAtOnce)
        .map(async (offset) => buffer(await store.open(sliceKey(id, offset)))),
    )
  }
}
