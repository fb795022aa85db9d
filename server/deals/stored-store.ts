import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { renderVersion } from './render.ts'

/** A stored deal. */
export interface StoredDeal {
  partnerId: number | null
  json: string
  /** False when an older version rendered it. */
  isCurrent: boolean
}

/** A stored deal, and what tells whether it has been written since. */
export interface VersionedDeal extends StoredDeal {
  /** The transaction that wrote it. */
  version: string
}

/** Returns the stored deals with these ids. @system imports */
export async function readStored(
  sql: Database['$client'] | TransactionSql,
  ids: bigint[],
): Promise<Map<bigint, VersionedDeal>> {
  const rows = await sql<(VersionedDeal & { id: string })[]>`
    select id, partner_id as "partnerId", json, render_version >= ${renderVersion} as "isCurrent",
      xmin::text as version
    from deals where id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, ...deal }) => [BigInt(id), deal]))
}

/** Returns the versions of the stored deals with these ids. @system imports */
export async function readVersions(sql: TransactionSql, ids: bigint[]): Promise<Map<bigint, string>> {
  const rows = await sql<{ id: string; version: string }[]>`
    select id, xmin::text as version from deals where id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, version }) => [BigInt(id), version]))
}
