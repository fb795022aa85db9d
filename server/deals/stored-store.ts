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

/** Returns the stored deals with these ids. @system imports */
export async function readStored(
  sql: Database['$client'] | TransactionSql,
  ids: bigint[],
): Promise<Map<bigint, StoredDeal>> {
  const rows = await sql<(StoredDeal & { id: string })[]>`
    select id, partner_id as "partnerId", json, render_version >= ${renderVersion} as "isCurrent" from deals
      where id = any(${ids.map(String)}::bigint[])`
  return new Map(rows.map(({ id, ...deal }) => [BigInt(id), deal]))
}
