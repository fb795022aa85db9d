import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'

/** A batch of an import, counted from 1. */
export interface ImportBatch {
  importId: string
  batch: number
}

/**
 * Records that this transaction writes the batch, while the writers' lock is held. Returns false if an
 * earlier transaction has already written the batch.
 * @system imports
 */
export async function recordBatch(sql: TransactionSql, { importId, batch }: ImportBatch): Promise<boolean> {
  const recorded = await sql`
    insert into import_batches as known (import_id, batch) values (${importId}, ${batch})
    on conflict (import_id) do update set batch = excluded.batch, written_at = now()
    where known.batch < excluded.batch returning batch`
  return recorded.length > 0
}

/** Deletes the batch records of an ended import, and of imports whose process died. @system imports */
export async function deleteBatches({ $client: sql }: Database, importId: string): Promise<void> {
  await sql`
    delete from import_batches where import_id = ${importId} or written_at < now() - interval '1 day'`
}
