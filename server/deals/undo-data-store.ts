import type { TransactionSql } from 'postgres'
import { type Database, deleteInBatches } from '#db/client.ts'

// A row has the ID of the transaction that wrote it, which is unique only within a database cluster. A backup
// may be restored into another cluster.
const cluster = '(select system_identifier from pg_control_system())'

/** Returns the SQL expression for the version of a row, as stored in undo data. */
export const versionOf = (row: string) => `${row}.xmin::text || '@' || ${cluster}`

const ownVersion = `pg_current_xact_id()::xid::text || '@' || ${cluster}`

/**
 * Stores undo data for deals that are about to be written: the IDs of created deals, and the previous state
 * of updated deals.
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

/** Stores deals that are about to be removed in this transaction. @system imports */
export async function saveRemoved(sql: TransactionSql, importId: number, ids: bigint[]): Promise<void> {
  await sql`
    insert into import_former (import_id, deal_id, partner_id, json, given)
    select ${importId}, id, partner_id, json, given from deals where id = any(${ids.map(String)}::bigint[])
    on conflict do nothing`
}

/**
 * Deletes undo data of imports that ended more than `days` ago. Returns the number of deleted rows.
 * @system retention
 */
export async function removeOldUndoData(db: Database, days: number): Promise<number> {
  const isOld = db.$client`
    import_id in (select id from imports where finished_at < now() - ${days} * interval '1 day')`
  const created = await deleteInBatches(db, 'import_created', isOld)
  return created + (await deleteInBatches(db, 'import_former', isOld))
}
