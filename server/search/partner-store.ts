import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'

/** Returns the partner names of these deals of the tenant, by deal id, without deals that have no partner. */
export async function readPartnerNames(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select deals.id::text as id, partners.name from deals join partners on partners.id = deals.partner_id
      where deals.id = any(${ids.map(String)}::bigint[])
        and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(rows.map(({ id, name }) => [BigInt(id), name]))
}
