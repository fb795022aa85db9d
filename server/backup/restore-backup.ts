import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, opendir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '#db/client.ts'
import { type ReadBackup, type Taker, readArchive, textOf } from './archive.ts'
import type { Progress } from './make-backup.ts'
import {
  type Configured,
  type KeptName,
  type Manifest,
  keptUnder,
  aboutProblem,
  keyProblem,
} from './manifest.ts'
import { type Target, Unrestorable, fillDatabase } from './restore-store.ts'
import { knownMigrations } from './store.ts'

/** A back-up that has been read to its end: it is whole, and this version can read it. */
export interface CheckedBackup extends ReadBackup {
  path: string
  /** What it has of `keptNames`. */
  kept: Map<KeptName, string>
}

/**
 * Reads a back-up to its end and changes nothing.
 * @throws BadBackup when it is none or not whole
 * @throws Unrestorable when it is a newer version's
 */
export async function checkBackup(path: string): Promise<CheckedBackup> {
  const known = await knownMigrations()
  const kept = new Map<KeptName, string>()
  const read = await readArchive(path, {
    about(about) {
      const reason = aboutProblem(about, known)
      if (reason !== null) throw new Unrestorable(reason)
    },
    async entry(entry, content) {
      if (entry.group === 'kept') kept.set(entry.name, await textOf(content))
      else for await (const _ of content);
    },
  })
  return { ...read, path, kept }
}

/** Where a back-up is restored to. */
export interface RestoreTarget {
  db: Database
  dataDir: string
  configured: Configured
}

/**
 * @throws Unrestorable when the webhook secrets of the back-up could not be decrypted there
 */
export async function checkKey(
  { about, kept }: CheckedBackup,
  { dataDir, configured }: Omit<RestoreTarget, 'db'>,
): Promise<void> {
  const reason = keyProblem(
    about,
    configured,
    kept.get('encryption-key') ??
      (await readFile(join(dataDir, 'encryption-key'), 'utf8').catch(() => undefined)),
  )
  if (reason !== null) throw new Unrestorable(reason)
}

/**
 * Fills an empty system with what is in a back-up. Files and secrets come into place just before the database lets its rows
 * be seen: what it knows of is there. Gives the names of tables that no migration of ours makes, which were left out.
 * @throws Unrestorable when the database is not empty or is in use
 */
export async function restoreBackup(
  backup: CheckedBackup,
  { db, dataDir, configured }: RestoreTarget,
  progress: Progress,
): Promise<string[]> {
  const { about, manifest, kept, path } = backup
  const leftOut = new Set<string>()
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const arriving = join(dataDir, `files.${randomUUID()}.unfinished`)
  await mkdir(arriving, { mode: 0o700 })
  try {
    await fillDatabase(db, about.migration, manifest, {
      // Read a second time, and compared again: nobody knows what has become of the file meanwhile.
      load: async (target) =>
        void (await readArchive(path, loader(target, manifest, arriving, leftOut, progress))),
      async settle() {
        await moveFiles(arriving, join(dataDir, 'files'))
        for (const name of keptUnder(configured)) {
          const text = kept.get(name)
          if (text !== undefined) await putText(join(dataDir, name), text)
        }
      },
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return [...leftOut]
}

/** Puts rows into their tables and files into a directory. */
function loader(
  target: Target,
  { tables }: Manifest,
  directory: string,
  leftOut: Set<string>,
  progress: Progress,
): Taker {
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
        if (group === 'table') leftOut.add(name)
        for await (const _ of content);
      }
    },
  }
}

async function moveFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for await (const { name } of await opendir(from)) await rename(join(from, name), join(to, name))
}

/** Puts a text into place at once, for its owner alone to read. */
async function putText(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, text, { mode: 0o600, flush: true })
  await rename(unfinished, path)
}
