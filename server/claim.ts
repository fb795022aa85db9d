import postgres from 'postgres'

/** What makes this process the only server on its database. */
export interface Claim {
  release(): Promise<void>
}

/** Another process serves from the same data directory; the message says which directory. */
export class DataDirInUse extends Error {}

// Any number will do, as long as every process takes the same.
const lockNumber = 7_361_205

/**
 * Makes this process the only server on the embedded database. The claim is a lock in the database,
 * so that it is gone with the process however that ends.
 * @throws DataDirInUse
 */
export async function claimDataDir(url: string, dataDir: string): Promise<Claim> {
  const client = postgres(url, { max: 1, onnotice: () => {}, idle_timeout: 0, max_lifetime: null, connection: { application_name: 'partner-deals server' } })
  const [row] = await client<[{ claimed: boolean }]>`select pg_try_advisory_lock(${lockNumber}) as claimed`
  if (!row.claimed) {
    await client.end({ timeout: 5 })
    throw new DataDirInUse(`The data directory ${dataDir} is in use by another Partner Deals. Stop that one, or choose another directory: DATA_DIR=… npm start`)
  }
  return { release: () => client.end({ timeout: 5 }) }
}
