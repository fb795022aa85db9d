import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import { findLiveLeases } from '../slice-store.ts'
import { claimOf } from './s3-storage.ts'

/** Removes what runs of killed processes have left in the directory. Returns of how many runs. */
export async function removeLeftRuns(db: Database, directory: string): Promise<number> {
  // Listed first: an import is claimed before its directory is made.
  const names = await readdir(directory).catch(() => [])
  const claims = names.map(claimOf).filter((claim) => claim !== null)
  if (claims.length === 0) return 0
  const live = await findLiveLeases(db, claims)
  const left = names.filter((name) => claimOf(name) !== null && !live.has(claimOf(name)!))
  for (const name of left) await rm(join(directory, name), { recursive: true, force: true })
  return left.length
}
