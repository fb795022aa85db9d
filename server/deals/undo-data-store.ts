import type { TransactionSql } from 'postgres'
import { type Database, deleteInBatches } from '#db/client.ts'

// A row has the id of the transaction that wrote it, which is unique within a database cluster; a backup may
// be restored into another one.
const cluster = '(select system_identifier from pg_control_system())'

/** The version of a row in SQL, as stored. */
export const versionOf = (row: string) => `${row}.xmin::text || '@' || ${cluster}`

const ownVersion = `pg_current_xact_id()::xid::text || '@' || ${cluster}`

/**
 * Stores the undo data of the deals about to be written: ids of created deals, previous state of updated
 * ones.
 * @system imports
 */
export async function saveUndoData(
  sql: TransactionSql,
  importId: number,
  { created, updated }: Record<'created' | 'updated', bigint[]>,
): Promise<void> {
  await Promise.all([
    created.length > 0 &&
      sql`
        insert into import_created (import_id, deal_ids, version)
        select ${importId}, ${created.map(String)}::bigint[], ${sql.unsafe(ownVersion)}`,
    updated.length > 0 &&
      sql`
        insert into import_former (import_id, deal_id, partner_id, json, given, version)
        select ${importId}, id, partner_id, json, given, ${sql.unsafe(ownVersion)}
        from deals where id = any(${updated.map(String)}::bigint[])
        on conflict do nothing`,
  ])
}

/** Stores deals that this transaction is about to remove. @system imports */
export async function saveRemoved(sql: TransactionSql, importId: number, ids: bigint[]): Promise<void> {
  await sql`
    insert into import_former (import_id, deal_id, partner_id, json, given)
    select ${importId}, id, partner_id, json, given from deals where id = any(${ids.map(String)}::bigint[])
    on conflict do nothing`
}

/**
 * Removes undo data of imports that ended more than `days` ago. Returns the number of rows.
 * @system retention
 */
export async function removeOldUndoData(db: Database, days: number): Promise<number> {
  const isOld = db.$client`
    import_id in (select id from imports where finished_at < now() - ${days} * interval '1 day')`
  const created = await deleteInBatches(db, 'import_created', isOld)
  return created + (await deleteInBatches(db, 'import_former', isOld))
}
