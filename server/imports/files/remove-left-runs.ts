import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '#db/client.ts'
import { isMissing } from '../../files/disk-storage.ts'
import { findLiveLeases } from '../slice-store.ts'
import { leaseIdOf } from './s3-storage.ts'

/** Removes run directories that killed processes left behind. Returns the number removed. */
export async function removeLeftRuns(db: Database, directory: string): Promise<number> {
  // The directory is listed before the leases are read, because an import is leased before its directory is
  // created.
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const leaseIds = names.map(leaseIdOf).filter((leaseId) => leaseId !== null)
  if (leaseIds.length === 0) return 0
  const live = await findLiveLeases(db, leaseIds)
  const left = names.filter((name) => leaseIdOf(name) !== null && !live.has(leaseIdOf(name)!))
  for (const name of left) await rm(join(directory, name), { recursive: true, force: true })
  return left.length
}
