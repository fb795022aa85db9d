import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ContentMissingError, type DiskStorage } from '#server/files/storage.ts'

/** Returns in-memory storage, for sources whose files are copied. */
export function memoryStorage(): DiskStorage {
  const contents = new Map<string, Buffer>()
  const contentOf = (key: string) => {
    const content = contents.get(key)
    if (content === undefined) throw new ContentMissingError()
    return content
  }
  return {
    name: 'disk',
    async put(key, content) {
      const bytes =
        typeof content === 'string' ? await readFile(content) : await buffer(Readable.from(content))
      contents.set(key, bytes)
      return { sizeBytes: bytes.length, checksum: createHash('sha256').update(bytes).digest('hex') }
    },
    remove: async (key) => void contents.delete(key),
    sizeOf: async (key) => contents.get(key)?.length ?? null,
    ageMs: async (key) => (contents.has(key) ? 0 : null),
    open: async (key, range) =>
      Readable.from(
        contentOf(key).subarray(range?.start ?? 0, range === undefined ? undefined : range.end + 1),
      ),
    urlOf: async ({ id }) => `memory:${id}`,
    async *keys() {
      yield [...contents.keys()]
    },
    problem: async () => null,
    pathOf: (key) => key,
    readProblem: (error) => error,
  }
}
