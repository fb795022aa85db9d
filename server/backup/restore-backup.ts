import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, opendir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '#db/client.ts'
import { type EntryHandler, type ReadBackup, readArchive, textOf } from './archive.ts'
import type { ReportProgress } from './make-backup.ts'
import {
  type Configured,
  type KeptName,
  type Manifest,
  keptUnder,
  aboutProblem,
  keyProblem,
} from './manifest.ts'
import { type Target, RestoreError, fillDatabase } from './restore-store.ts'
import { knownMigrations } from './store.ts'

/** A complete backup that this version can read. */
export interface CheckedBackup extends ReadBackup {
  path: string
  /** The secrets in the backup. */
  secrets: Map<KeptName, string>
}

/**
 * Reads and checks a backup.
 * @throws BackupError if it is not complete
 * @throws RestoreError if it is too new or old
 */
export async function checkBackup(path: string): Promise<CheckedBackup> {
  const known = await knownMigrations()
  const secrets = new Map<KeptName, string>()
  const read = await readArchive(path, {
    about(about) {
      const reason = aboutProblem(about, known)
      if (reason !== null) throw new RestoreError(reason)
    },
    async entry(entry, content) {
      if (entry.group === 'kept') secrets.set(entry.name, await textOf(content))
      else for await (const _ of content);
    },
  })
  return { ...read, path, secrets }
}

/** The system to restore a backup to. */
export interface RestoreTarget {
  db: Database
  dataDir: string
  configured: Configured
}

/**
 * Checks that the restored system could decrypt its webhook secrets.
 * @throws RestoreError if the restored system could not decrypt its webhook secrets
 */
export async function checkKey(
  { about, secrets }: CheckedBackup,
  { dataDir, configured }: Omit<RestoreTarget, 'db'>,
): Promise<void> {
  const reason = keyProblem(
    about,
    configured,
    secrets.get('encryption-key') ??
      (await readFile(join(dataDir, 'encryption-key'), 'utf8').catch(() => undefined)),
  )
  if (reason !== null) throw new RestoreError(reason)
}

/**
 * Restores a backup to an empty system. Files and secrets are in place before the rows become visible. Skips
 * unknown tables and returns their names.
 * @throws RestoreError if the database is not empty or is in use
 */
export async function restoreBackup(
  backup: CheckedBackup,
  { db, dataDir, configured }: RestoreTarget,
  progress: ReportProgress,
): Promise<string[]> {
  const { about, manifest, secrets, path } = backup
  const skipped = new Set<string>()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const arriving = join(dataDir, `files.${randomUUID()}.unfinished`)
  await mkdir(arriving, { mode: 0o700 })
  try {
    await fillDatabase(db, about.migration, manifest, {
      // Checks the backup again while loading, because the file may have changed since the first check.
      load: async (target) =>
        void (await readArchive(path, loader(target, manifest, arriving, skipped, progress))),
      async settle() {
        await moveFiles(arriving, join(dataDir, 'files'))
        for (const name of keptUnder(configured)) {
          const text = secrets.get(name)
          if (text !== undefined) await putText(join(dataDir, name), text)
        }
      },
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return [...skipped]
}

/** Returns a handler that loads the rows into their tables, and the files into a directory. */
function loader(
  target: Target,
  { tables }: Manifest,
  directory: string,
  skipped: Set<string>,
  progress: ReportProgress,
): EntryHandler {
  const tableOf = new Map(tables.map((table) => [table.name, table]))
  let files = 0
  return {
    async entry({ group, name }, content) {
      if (group === 'table' && target.has(name)) {
        const { columns, rows } = tableOf.get(name)!
        await target.load(name, columns, content)
        progress(name, rows)
      } else if (group === 'file') {
        await pipeline(content, createWriteStream(join(directory, name), { mode: 0o600, flush: true }))
        progress('files', ++files)
      } else {
        if (group === 'table') skipped.add(name)
        for await (const _ of content);
      }
    },
  }
}

async function moveFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for await (const { name } of await opendir(from)) await rename(join(from, name), join(to, name))
}

/** Writes a file atomically. Only the owner can read the file. */
async function putText(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, text, { mode: 0o600, flush: true })
  await rename(unfinished, path)
}
