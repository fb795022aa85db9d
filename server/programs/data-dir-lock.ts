import { connect } from '#db/client.ts'

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
