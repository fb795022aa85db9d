import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import { type Database, deleteInBatches } from '#db/client.ts'
import { portionsOf } from '../admission/portions.ts'
import type { NamedPerson } from './columns.ts'
import { cellValues, columnUpdates, nullCell, writtenColumns } from './written-columns.ts'

/**
 * Inserts deals from rows in the form `copied`. The transaction must not send another statement until this
 * has completed.
 * @system the writer of deals
 */
export async function copyDeals(sql: TransactionSql, rows: string[]): Promise<void> {
  const lines = async function* () {
    for await (const portion of portionsOf(rows)) yield portion.join('')
  }
  await pipeline(
    lines,
    await sql`copy deals (${sql.unsafe(writtenColumns.join(', '))}) from stdin`.writable(),
  )
}

/** Updates deals from rows in the form `split`. @system the writer of deals */
export async function updateDeals(sql: TransactionSql, rows: string[]): Promise<void> {
  await sql`
    insert into deals (${sql.unsafe(writtenColumns.join(', '))})
    select ${sql.unsafe(cellValues)} from (values ${sql(rows.map((row) => [row]))}) as row (line),
      string_to_array(row.line, chr(9), ${nullCell}) as cell
    on conflict (id) do update set ${sql.unsafe(columnUpdates)}`
}

/** IDs of people by the key that `keyOf` returns. */
export type PersonIds = ReadonlyMap<string, number>

/** Returns the key that identifies a person. */
export const keyOf = ({ name, email }: NamedPerson) => `${name}\n${email}`

/** Returns the IDs of these people. Inserts people who are not stored yet. @system the writer of deals */
export async function findPeople(
  sql: Database['$client'] | TransactionSql,
  people: NamedPerson[],
): Promise<PersonIds> {
  const wanted = new Map(people.map((person) => [keyOf(person), person]))
  const ids = new Map<string, number>()
  const addIds = (rows: (NamedPerson & { id: number })[]) =>
    rows.forEach((row) => ids.set(keyOf(row), row.id))
  if (wanted.size === 0) return ids
  const all = listed([...wanted.values()])
  addIds(
    await sql`
    select id, name, email from people join unnest(${all.names}::text[], ${all.emails}::text[]) as wanted (name, email) using (name, email)`,
  )
  if (ids.size === wanted.size) return ids
  // Sorted, so that concurrent inserts of the same people take locks in the same order.
  const fresh = listed(
    [...wanted]
      .filter(([key]) => !ids.has(key))
      .toSorted(byKey)
      .map(([, person]) => person),
  )
  addIds(
    await sql`
      insert into people (name, email) select * from unnest(${fresh.names}::text[], ${fresh.emails}::text[])
      on conflict (name, email) do update set name = excluded.name returning id, name, email`,
  )
  return ids
}

const listed = (people: NamedPerson[]) => ({
  names: people.map(({ name }) => name),
  emails: people.map(({ email }) => email),
})

const byKey = ([a]: [string, NamedPerson], [b]: [string, NamedPerson]) => Number(a > b) - Number(a < b)

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
