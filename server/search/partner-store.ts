import type { Database } from '#db/client.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { type Partner, zoneOfPartner } from '../accounts/store.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import type { Zone } from '../values/zone.ts'

/** Returns the partner names of these deals of the tenant, by deal id. Omits deals without a partner. */
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

/** Returns the partners and time zones of these deals of the tenant, by deal id. */
export async function readDealPartners(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, { tenant: PartnerId; zone: Zone }>> {
  const rows = await sql<({ id: string; partner: PartnerId } & Pick<Partner, 'timeZone' | 'usualZone'>)[]>`
    select deals.id::text as id, partners.id as partner, time_zone as "timeZone", usual_zone as "usualZone"
      from deals join partners on partners.id = deals.partner_id
      where deals.id = any(${ids.map(String)}::bigint[])
        and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(
    rows.map(({ id, partner, ...zones }) => [BigInt(id), { tenant: partner, zone: zoneOfPartner(zones) }]),
  )
}
