import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from './client.ts'

/**
 * Creates the data directory, or revokes other users' access to an existing directory and its contents. For
 * root, the mode is 0711, because PostgreSQL runs as another user.
 * @param warn called with paths whose mode cannot be changed
 */
export async function secureDataDir(path: string, warn: (path: string) => void): Promise<void> {
  const passable = process.getuid?.() === 0 ? 0o011 : 0
  const made = await mkdir(path, { recursive: true, mode: 0o700 | passable })
  // Restores bits removed by the umask.
  if (made !== undefined) return chmod(path, 0o700 | passable)
  unlessForeign(path, warn, () => {
    restrict(path, 0o077 & ~passable)
    for (const name of readdirSync(path)) close(join(path, name), warn)
  })
}

// Revokes access synchronously, which is faster. Nothing else runs at this point.
function close(path: string, warn: (path: string) => void): void {
  unlessForeign(path, warn, () => {
    const entry = lstatSync(path)
    // The contents of a private directory are private as well.
    if (entry.isSymbolicLink() || (entry.mode & 0o077) === 0) return
    if (entry.isDirectory()) for (const name of readdirSync(path)) close(join(path, name), warn)
    restrict(path, 0o077)
  })
}

/** Clears these bits of the mode. */
function restrict(path: string, bits: number): void {
  const mode = lstatSync(path).mode & 0o7777
  if ((mode & bits) !== 0) chmodSync(path, mode & ~bits)
}

/** Runs the work. Warns about files that belong to other users instead of failing. */
function unlessForeign(path: string, warn: (path: string) => void, work: () => void): void {
  try {
    work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM' || code === 'EACCES' || code === 'EROFS') warn(path)
    // Another process may have removed an unfinished file.
    else if (code !== 'ENOENT') throw error
  }
}

/** A lock that ensures that only one server uses an embedded database. */
export interface DataDirLock {
  /**
   * Acquires the lock again after the database has restarted.
   * @throws DataDirInUseError, or a database error
   */
  keep(): Promise<void>
  release(): Promise<void>
}

/** Thrown if another server uses the data directory. The message contains the path of the directory. */
export class DataDirInUseError extends Error {}

// An arbitrary number that all processes share.
const lockNumber = 7_361_205

/**
 * Locks the data directory with an advisory lock in its database until the process ends.
 * @throws DataDirInUseError
 */
export async function lockDataDir(url: string, dataDir: string): Promise<DataDirLock> {
  const client = connect(url, {
    max: 1,
    onnotice: () => {},
    idle_timeout: 0,
    max_lifetime: null,
    connection: { application_name: 'partner-deals server' },
  })
  async function keep(): Promise<void> {
    const [row] = await client<[{ locked: boolean }]>`
      select exists (select from pg_locks
        where locktype = 'advisory' and objid = ${lockNumber} and pid = pg_backend_pid() and granted)
        or pg_try_advisory_lock(${lockNumber}) as locked`
    if (!row.locked)
      throw new DataDirInUseError(
        `The data directory ${dataDir} is in use by another Partner Deals. Stop that one, ` +
          'or choose another directory: DATA_DIR=… npm start',
      )
  }
  const release = () => client.end({ timeout: 5 })
  try {
    await keep()
  } catch (error) {
    await release()
    throw error
  }
  return { keep, release }
}
