import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { rejectedTitles } from '../deals/import/record-source.ts'
import type { Fault } from '../deals/import/record.ts'
import { byteOrderMark, csvLines } from '../protocol/csv.ts'
import { Refusal, notFound } from '../protocol/errors.ts'

/** Returns the directory of uploaded files in the data directory, which all processes share. */
export const directoryOf = (dataDir: string) => join(dataDir, 'imports')

/** Returns the path of an import's content, or of its rejected rows. */
export const contentPath = (directory: string, id: number) => join(directory, String(id))
export const rowsPath = (directory: string, id: number) => join(directory, `${id}.rows`)
export const rejectedPath = (directory: string, id: number) => join(directory, `${id}.rejected.csv`)

/**
 * Writes bytes to the file of an import at `offset`, truncating what an interrupted write has left there.
 * @throws Refusal when the disk is full, or the file before `offset` is gone
 */
export async function writeSlice(
  directory: string,
  id: number,
  offset: number,
  bytes: Uint8Array,
): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const file = await open(contentPath(directory, id), 'a', 0o600)
    try {
      if ((await file.stat()).size < offset)
        throw new Refusal(
          'GONE',
          'The uploaded part of the file no longer exists. Discard it and upload it again.',
        )
      await file.truncate(offset)
      await file.appendFile(bytes)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw isDiskFull(error) ? new Refusal('SERVICE_UNAVAILABLE', 'The disk of the server is full') : error
  }
}

/** Returns whether the error is a full disk, or a missing file. */
export const isDiskFull = (error: unknown) => hasCode(error, ['ENOSPC', 'EDQUOT'])
export const isMissing = (error: unknown) => hasCode(error, ['ENOENT'])

const hasCode = (error: unknown, codes: unknown[]) =>
  error instanceof Error && 'code' in error && codes.includes(error.code)

const chunkBytes = 256 * 1024

const startBytes = 64 * 1024

/** Returns the first bytes of the content of an import. */
export async function readStart(directory: string, id: number): Promise<Buffer> {
  const file = await open(contentPath(directory, id))
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Returns the SHA-256 of a file, in hexadecimal digits. */
export async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash)
  return hash.digest('hex')
}

/** Removes the content of an import, if it exists. */
export async function removeContent(directory: string, id: number): Promise<void> {
  await removeRows(directory, id)
  await rm(contentPath(directory, id), { force: true })
}

/** Removes the rows that were read from the content of an import. */
export const removeRows = (directory: string, id: number) => rm(rowsPath(directory, id), { force: true })

/** Removes the rejected rows of an import, if there are any. */
export const removeRejected = (directory: string, id: number) =>
  rm(rejectedPath(directory, id), { force: true })

/** Returns all files of imports: contents and rejected rows. */
export async function listFiles(directory: string): Promise<{ id: number; isRejected: boolean }[]> {
  const names = await readdir(directory).catch(() => [])
  return names.flatMap((name) => {
    const [, id, rejected] = /^(\d{1,9})(\.rejected\.csv)?$/.exec(name) ?? []
    return id === undefined ? [] : [{ id: Number(id), isRejected: rejected !== undefined }]
  })
}

/** Checks that an import has rejected rows. @throws Refusal 404 */
export async function requireRejected(directory: string, id: number): Promise<void> {
  await access(rejectedPath(directory, id)).catch((error: unknown) => {
    throw isMissing(error) ? notFound('Rejected lines') : error
  })
}

/** Yields the rejected rows of an import as CSV, in batches. */
export async function readRejected(
  directory: string,
  id: number,
  take: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const bytes of createReadStream(rejectedPath(directory, id), {
    highWaterMark: chunkBytes,
  }) as AsyncIterable<Uint8Array>)
    await take(bytes)
}

/** Writes rejected rows to disk, as a file that can be corrected and imported. */
export interface RejectedLines {
  add(line: number, faults: Fault[], row: { titles: string[]; cells: string[] }): void
  /** Waits until the lines are on disk, if there are many. */
  settle(): Promise<void>
  close(): Promise<void>
}

const bufferBytes = 64 * 1024

// A line of three bytes can be rejected for a reason of a hundred bytes.
const rejectedMaxBytes = 256 * 1024 * 1024

/** Starts a new file of rejected rows. Cells that a spreadsheet would read as a formula become text. */
export async function openRejected(directory: string, id: number): Promise<RejectedLines> {
  // Removed, not emptied: a process taken for dead may still write to the previous one.
  await removeRejected(directory, id)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const file = await open(rejectedPath(directory, id), 'wx', 0o600)
  let waiting = ''
  let hasHeader = false
  let bytes = 0
  let isFull = false
  const write = async () => {
    const text = waiting
    waiting = ''
    await file.appendFile(text)
  }
  return {
    add(line, faults, { titles, cells }) {
      if (isFull) return
      if (!hasHeader) waiting += byteOrderMark + csvLines([[...rejectedTitles, ...titles]])
      hasHeader = true
      const reasons = faults.map(({ field, reason }) => (field === null ? reason : `${field} ${reason}`))
      const row = csvLines([[line, reasons.join('; '), ...cells]])
      bytes += row.length
      isFull = bytes > rejectedMaxBytes
      waiting += isFull
        ? csvLines([['', 'There are more. Correct these and import the whole file again.']])
        : row
    },
    async settle() {
      if (waiting.length > bufferBytes) await write()
    },
    async close() {
      await write().finally(() => file.close())
    },
  }
}
