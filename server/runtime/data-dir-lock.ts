import postgres from 'postgres'

/** What makes this process the only server on its database. */
export interface DataDirLock {
  /**
   * Makes sure that the lock is still held, as it is gone with the database's memory when that goes away.
   * @throws DataDirInUse, or whatever the database that is away makes of it
   */
  keep(): Promise<void>
  release(): Promise<void>
}

/** Another process serves from the same data directory; the message says which directory. */
export class DataDirInUse extends Error {}

// Any number will do, as long as every process takes the same.
const lockNumber = 7_361_205

/**
 * Makes this process the only server on the embedded database. The lock is a lock in the database,
 * so that it is gone with the process however that ends.
 * @throws DataDirInUse
 */
export async function lockDataDir(url: string, dataDir: string): Promise<DataDirLock> {
  const client = postgres(url, {
    max: 1,
    onnotice: () => {},
    idle_timeout: 0,
    max_lifetime: null,
    connection: { application_name: 'partner-deals server' },
  })
  async function keep(): Promise<void> {
    const [row] = await client<[{ claimed: boolean }]>`
      select exists (select from pg_locks where locktype = 'advisory' and objid = ${lockNumber} and pid = pg_backend_pid() and granted)
        or pg_try_advisory_lock(${lockNumber}) as claimed`
    if (!row.claimed)
      throw new DataDirInUse(
        `The data directory ${dataDir} is in use by another Partner Deals. Stop that one, or choose another directory: DATA_DIR=… npm start`,
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
