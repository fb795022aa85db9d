import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { renderVersion } from './render.ts'

export interface StoredDeal {
  partnerId: number | null
  json: string
  /** The boolean fields that a source provided. Null means the fields that are true. */
  given: number | null
  /** False if the deal was rendered by an older version. */
  isCurrent: boolean
  /** Identifies the transaction that wrote the deal. */
  version: string
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
