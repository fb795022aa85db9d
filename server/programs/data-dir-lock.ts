import { connect } from '#db/client.ts'

/** The lock that makes this process the only server on its database. */
export interface DataDirLock {
  /**
   * Verifies that the lock is still held; a restart of the database loses it.
   * @throws DataDirInUseError, or an error of the database if it is down
   */
  keep(): Promise<void>
  release(): Promise<void>
}

/** Thrown when another process serves from the same data directory; the message names the directory. */
export class DataDirInUseError extends Error {}

// Any number works if every process uses the same one.
const lockNumber = 7_361_205

/**
 * Locks the data directory, so that only one server uses the embedded database. An advisory lock in the
 * database, released when the process ends.
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
