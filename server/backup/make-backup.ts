import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import { type ArchiveWriter, writeArchive } from './archive.ts'
import {
  type About,
  type Configured,
  type Manifest,
  aboutName,
  fileName,
  fingerprintOf,
  formatVersion,
  keptEntryName,
  keptUnder,
  manifestName,
  tablePartName,
} from './manifest.ts'
import { type Snapshot, withSnapshot } from './store.ts'

/** The system to back up. */
export interface BackupSource {
  db: Database
  dataDir: string
  configured: Configured
}

/** The result of making a backup. */
export interface MadeBackup {
  about: About
  manifest: Manifest
  sizeBytes: number
}

/** Called with the current table or step, and with the number of rows or files done. */
export type ReportProgress = (what: string, done: number) => void

// Rows are buffered up to this size, because the size of an entry has to be known before its content is
// written.
const partBytes = 4 * 1024 * 1024

/**
 * Backs up the system to a new file; the system may be running. The file appears at `path` when it is
 * complete. Memory use does not depend on the size of the system.
 */
export async function makeBackup(
  source: BackupSource,
  path: string,
  progress: ReportProgress,
): Promise<MadeBackup> {
  const unfinished = `${path}.${randomUUID()}.unfinished`
  try {
    const made = await withSnapshot(source.db, async (snapshot) => {
      let made: Omit<MadeBackup, 'sizeBytes'> | undefined
      await writeArchive(unfinished, async (archive) => {
        made = await fill(archive, snapshot, source, progress)
      })
      return made!
    })
    const { size } = await stat(unfinished)
    await rename(unfinished, path)
    return { ...made, sizeBytes: size }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function fill(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  { dataDir, configured }: BackupSource,
  progress: ReportProgress,
): Promise<Omit<MadeBackup, 'sizeBytes'>> {
  const encryptionKey = configured.ENCRYPTION_KEY ?? (await readFile(join(dataDir, 'encryption-key'), 'utf8'))
  const about: About = {
    program: 'Partner Deals',
    format: formatVersion,
    madeAt: new Date().toISOString(),
    migration: snapshot.migration,
    keyFingerprint: fingerprintOf(encryptionKey),
  }
  await addText(archive, aboutName, JSON.stringify(about, null, 2))
  for (const { name } of snapshot.tables) await addTable(archive, name, snapshot.rowsOf(name), progress)
  const missing = await addFiles(archive, snapshot, join(dataDir, 'files'), progress)
  for (const name of keptUnder(configured)) {
    const text = await readFile(join(dataDir, name), 'utf8').catch(() => null)
    if (text !== null) await addText(archive, keptEntryName(name), text)
  }
  const sums = archive.sums()
  const manifest: Manifest = {
    tables: snapshot.tables.map(({ name, columns }) => {
      const { count: rows, sizeBytes, sha256 } = sums.tables.get(name)!
      return { name, columns, rows, sizeBytes, sha256 }
    }),
    sequences: await snapshot.sequences(),
    files: { ...sums.files, missing },
    kept: sums.kept,
  }
  await addText(archive, manifestName, JSON.stringify(manifest, null, 2))
  return { about, manifest }
}

async function addText(archive: ArchiveWriter, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await archive.add(name, bytes.length, [bytes])
}

async function addTable(
  archive: ArchiveWriter,
  table: string,
  rows: AsyncIterable<Buffer>,
  progress: ReportProgress,
): Promise<void> {
  let gathered: Buffer[] = []
  let sizeBytes = 0
  let parts = 0
  const flush = async () => {
    // Passes a single chunk, because a call per row would be slow.
    await archive.add(tablePartName(table, ++parts), sizeBytes, [Buffer.concat(gathered)])
    gathered = []
    sizeBytes = 0
    progress(table, archive.sums().tables.get(table)!.count)
  }
  for await (const chunk of rows) {
    gathered.push(chunk)
    sizeBytes += chunk.length
    // A part ends at the end of a row, so that it can be loaded separately.
    if (sizeBytes >= partBytes && chunk.at(-1) === 10) await flush()
  }
  if (sizeBytes > 0 || parts === 0) await flush()
}

/** Adds all files that are listed in the snapshot. Returns how many files are missing on disk. */
async function addFiles(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  directory: string,
  progress: ReportProgress,
): Promise<number> {
  let missing = 0
  for await (const ids of snapshot.fileIds()) {
    for (const id of ids) {
      const file = await openIfExists(join(directory, id))
      if (file === null) {
        // The file's deal may have been removed since the snapshot was taken.
        missing++
        continue
      }
      // The stream closes the file.
      await archive.add(fileName(id), (await file.stat()).size, file.createReadStream())
    }
    progress('files', archive.sums().files.count)
  }
  return missing
}

async function openIfExists(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
