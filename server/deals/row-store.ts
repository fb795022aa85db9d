import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import { type Database, deleteInBatches } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { portionsOf } from '../admission/scheduling.ts'
import type { StoredDeal } from './change.ts'
import type { NamedPerson } from './columns.ts'
import { renderVersion } from './render.ts'
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

/** Returns the key that identifies a person. */
export const keyOf = ({ name, email }: NamedPerson) => `${name}\n${email}`

/** Returns the IDs of these people by `keyOf`. Inserts people who are not stored yet. @system the writer of deals */
export async function findPeople(
  sql: Database['$client'] | TransactionSql,
  people: NamedPerson[],
): Promise<ReadonlyMap<string, number>> {
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

/** Returns the stored deals with these ids. @system imports */
export async function readStored(
  sql: Database['$client'] | TransactionSql,
  ids: bigint[],
): Promise<Map<bigint, StoredDeal>> {
  const rows = await sql<(StoredDeal & { id: string })[]>`
    select id, partner_id as "partnerId", json, given, render_version >= ${renderVersion} as "isCurrent",
      xmin::text as version
    from deals where id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, ...deal }) => [BigInt(id), deal]))
}

/** A stored deal whose `json` is null if its digest equals the expected one. */
export type ComparedDeal = Omit<StoredDeal, 'json'> & { json: string | null }

/**
 * Returns the stored deals with these IDs. Omits the JSON of deals whose hexadecimal SHA-256 equals the
 * expected digest, which is the case for most deals of an import.
 * @system imports
 */
export async function readCompared(
  sql: Database['$client'],
  deals: { id: bigint; digest: string | null }[],
): Promise<Map<bigint, ComparedDeal>> {
  const ids = deals.map(({ id }) => String(id))
  const digests = deals.map(({ digest }) => digest ?? '')
  // Written so that PostgreSQL uses index lookups, whatever the planner estimates.
  const rows = await sql<(ComparedDeal & { id: string })[]>`
    select deal.id, deal.partner_id as "partnerId", deal.version, deal.given, deal.render_version >= ${renderVersion} as "isCurrent",
      case when sha256(convert_to(deal.json, 'UTF8')) <> decode(requested.digest, 'hex') then deal.json end as json
    from unnest(${ids}::bigint[], ${digests}::text[]) as requested (id, digest)
      cross join lateral (
        select id, partner_id, xmin::text as version, render_version, json, given from deals where id = requested.id limit 1) deal`
  return new Map(rows.map(({ id, ...deal }) => [BigInt(id), deal]))
}

/** Returns the versions of the stored deals with these ids. @system imports */
export async function readVersions(sql: TransactionSql, ids: bigint[]): Promise<Map<bigint, string>> {
  const rows = await sql<{ id: string; version: string }[]>`
    select id, xmin::text as version from deals where id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, version }) => [BigInt(id), version]))
}

export interface DealNames {
  dealname: string | null
  firstName: string | null
  lastName: string | null
}

/** Returns the names of those deals with these IDs that belong to the tenant, by ID. */
export async function readDealNames(
  db: Database,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, DealNames>> {
  const sql = db.$client
  const rows = await sql<(DealNames & { id: string })[]>`
    select id::text, json::json->>'dealname' as dealname, json::json->>'firstName' as "firstName",
      json::json->>'lastName' as "lastName"
    from deals
    where id = any(${`{${ids.join(',')}}`}::bigint[])
      and ${isWithin(sql, tenant)}`
  return new Map(rows.map(({ id, ...names }) => [BigInt(id), names]))
}
