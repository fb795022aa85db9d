import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'

/** The name of a deal and the name of its homeowner. */
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
