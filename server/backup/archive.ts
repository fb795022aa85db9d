import { type Hash, createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { type Extract, extract, pack } from 'tar-stream'
import {
  About,
  type ArchiveEntry,
  Manifest,
  type Sum,
  type Sums,
  aboutName,
  contradiction,
  manifestName,
  readEntryName,
} from './manifest.ts'

/** Thrown when a file is not a complete backup; the message says why. */
export class BackupError extends Error {}

// The default of 16 KB would cause many small reads and writes.
const chunkBytes = 256 * 1024

/** Adds entries to an archive, one at a time. */
export interface ArchiveWriter {
  /** Adds an entry that is exactly `sizeBytes` bytes long. */
  add(name: string, sizeBytes: number, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>
  /** Returns the counts, sizes and hashes of all entries so far. */
  sums(): Sums
}

/**
 * Writes a gzipped tar file that only its owner can read, and syncs the file to disk. The path must not exist
 * yet.
 */
export async function writeArchive(
  path: string,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const tar = pack()
  // The default compression level takes twice the CPU time to make the file a third smaller.
  const written = pipeline(
    tar,
    createGzip({ level: constants.Z_BEST_SPEED, chunkSize: chunkBytes }),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  const failed = written.then(
    () => null,
    (error: Error) => error,
  )
  const tally = makeTally()
  try {
    await fill({
      sums: tally.sums,
      add: (name, sizeBytes, content) =>
        new Promise((resolve, reject) => {
          const entry = tar.entry({ name, size: sizeBytes, mode: 0o600 }, (error) =>
            error ? reject(error) : resolve(),
          )
          pipeline(tally.count(name, content), entry).catch(reject)
        }),
    })
    tar.finalize()
  } catch (error) {
    tar.destroy(error as Error)
    // Reports the actual error, such as a full disk; the producer only sees a closed stream.
    throw (await failed) ?? error
  }
  await written
}

/** A backup that was read to the end. */
export interface ReadBackup {
  about: About
  manifest: Manifest
}

/** Handles each entry as the archive is read. Must consume the whole content of every entry. */
export interface EntryHandler {
  about?(about: About): void
  entry(entry: ArchiveEntry, content: AsyncIterable<Buffer>): Promise<void>
}

/**
 * Reads a complete backup and compares it with its manifest, which is the last entry. Rethrows errors of the
 * handler.
 * @throws BackupError, and errors of the handler
 */
export async function readArchive(path: string, handler: EntryHandler): Promise<ReadBackup> {
  const entries = extract()
  const read = pipeline(
    createReadStream(path, { highWaterMark: chunkBytes }),
    createGunzip({ chunkSize: chunkBytes }),
    entries,
  )
  const failed = read.then(
    () => null,
    (error: Error) => error,
  )
  try {
    const backup = await readEntries(entries, handler)
    await read
    return backup
  } catch (error) {
    entries.destroy()
    const cause = await failed
    for (const { code, message } of [cause ?? error, error] as NodeJS.ErrnoException[]) {
      if (code === 'Z_DATA_ERROR' && message === 'incorrect header check') throw noBackup()
      if (code?.startsWith('Z_') || /^(?:Unexpected end of data|Invalid tar header)/.test(message))
        throw new BackupError(`the backup is damaged or incomplete (${message})`)
    }
    throw error
  }
}

const noBackup = () => new BackupError('the file is not a backup of Partner Deals')

async function readEntries(entries: Extract, handler: EntryHandler): Promise<ReadBackup> {
  let about: About | undefined
  let manifest: Manifest | undefined
  const tally = makeTally()
  for await (const stream of entries) {
    const { name } = stream.header
    const content = stream as AsyncIterable<Buffer>
    if (about === undefined) {
      if (name !== aboutName) throw noBackup()
      about = parse(About, await textOf(content))
      handler.about?.(about)
    } else if (name === manifestName) {
      manifest = parse(Manifest, await textOf(content))
    } else {
      const entry = readEntryName(name)
      if (entry === null)
        throw new BackupError(`the backup is damaged (it has an entry ${JSON.stringify(name)})`)
      await handler.entry(entry, tally.count(name, content))
    }
  }
  if (about === undefined) throw noBackup()
  if (manifest === undefined) throw new BackupError('the backup is incomplete (its manifest is missing)')
  const wrong = contradiction(manifest, tally.sums())
  if (wrong !== null) throw new BackupError(`the backup is damaged (${wrong})`)
  return { about, manifest }
}

function parse<T>(schema: { safeParse(value: unknown): { data?: T | undefined } }, text: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw noBackup()
  }
  const { data } = schema.safeParse(value)
  if (data === undefined) throw noBackup()
  return data
}

/** Reads the content of an entry as text. */
export async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString()
}

/** Returns a counter that updates the sums with the entries that pass through it. */
function makeTally() {
  const empty = () => ({ count: 0, sizeBytes: 0, hash: createHash('sha256') })
  const tables = new Map<string, ReturnType<typeof empty>>()
  const [files, secrets] = [empty(), empty()]
  const sumOf = ({ hash, ...rest }: { count: number; sizeBytes: number; hash: Hash }): Sum => ({
    ...rest,
    sha256: hash.copy().digest('hex'),
  })

  const sumFor = (entry: ReturnType<typeof readEntryName>) => {
    if (entry === null) return empty()
    if (entry.group === 'table') return tables.getOrInsertComputed(entry.name, empty)
    return entry.group === 'file' ? files : secrets
  }

  async function* count(
    name: string,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    const entry = readEntryName(name)
    const sum = sumFor(entry)
    if (entry?.group !== 'table') {
      sum.count++
      sum.hash.update(`${name}\n`)
    }
    for await (const chunk of content) {
      sum.sizeBytes += chunk.length
      sum.hash.update(chunk)
      // In PostgreSQL's COPY text format, line feeds occur only at the end of rows.
      if (entry?.group === 'table')
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) sum.count++
      yield chunk
    }
  }

  return {
    count,
    sums: (): Sums => ({
      tables: new Map([...tables].map(([name, sum]) => [name, sumOf(sum)])),
      files: sumOf(files),
      kept: sumOf(secrets),
    }),
  }
}
