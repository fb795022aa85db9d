import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { imports } from '#db/schema/imports.ts'
import { ApiError, notFound } from '../errors.ts'
import { isAlive } from './store.ts'

/**
 * Calls `keep` to store the next `length` bytes of a file if they begin at `offset`. Locks the file across
 * processes. Returns the number of bytes received.
 * @throws ApiError 404 if the upload does not exist @system operators
 */
export async function appendSlice(
  db: Database,
  id: number,
  slice: { offset: number; length: number },
  keep: () => Promise<void>,
): Promise<{ receivedBytes: number; sizeBytes: number; isTaken: boolean }> {
  return db.transaction(async (tx) => {
    const [upload] = await tx
      .select({ receivedBytes: imports.receivedBytes, sizeBytes: imports.sizeBytes, state: imports.state })
      .from(imports)
      .where(eq(imports.id, id))
      .for('update')
    if (upload === undefined) throw notFound('Import')
    const { receivedBytes, sizeBytes, state } = upload
    if (state !== 'uploading' || slice.offset !== receivedBytes)
      return { receivedBytes, sizeBytes, isTaken: false }
    const end = receivedBytes + slice.length
    if (end > sizeBytes) throw new ApiError('BAD_REQUEST', 'The file is longer than announced')
    await keep()
    await tx.update(imports).set({ receivedBytes: end }).where(eq(imports.id, id))
    return { receivedBytes: end, sizeBytes, isTaken: true }
  })
}

/**
 * Records a stored slice unless another slice was recorded first. Returns the number of bytes received.
 * @system operators
 */
export async function recordImportSlice(
  db: Database,
  id: number,
  { offset, length }: { offset: number; length: number },
): Promise<number | undefined> {
  const [upload] = await db
    .update(imports)
    .set({
      receivedBytes: offset + length,
      offsets: sql`array_append(${imports.offsets}, ${offset}::bigint)`,
    })
    .where(and(eq(imports.id, id), eq(imports.state, 'uploading'), eq(imports.receivedBytes, offset)))
    .returning({ receivedBytes: imports.receivedBytes })
  return upload?.receivedBytes
}

/** Returns the leases that running processes still have. @system retention */
export async function findLiveLeases(db: Database, leaseIds: string[]): Promise<Set<string>> {
  const live = await db
    .select({ leaseId: imports.leaseId })
    .from(imports)
    .where(and(inArray(imports.leaseId, leaseIds), isAlive))
  return new Set(live.map(({ leaseId }) => leaseId!))
}
