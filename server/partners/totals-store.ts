import type { ISql } from 'postgres'
import { anyOf } from '#db/fragments.ts'
import { zoneOfPartner } from '../accounts/store.ts'
import { conditionOf } from '../search/condition-store.ts'
import type { TotalsKind } from '../search/read-totals.ts'
import { readNextStep } from '../search/step-store.ts'
import { type Zone, addDays, dayOf, startOfDay, utc } from '../values/zone.ts'

/** The totals of a partner's deals. */
export interface PartnerTotals {
  id: number
  open: number
  /** Number of open deals that are late. */
  late: number
  /** Total dollars of the open deals. */
  amount: number
}

/**
 * Totals of all partners with deals. As in lists of deals, lateness depends on the time zone of the partner.
 */
export const partnerTotals: TotalsKind<PartnerTotals[]> = {
  name: 'partners-2',
  isByZone: false,
  async compute({ sql, tenant }) {
    const isLate = anyOf(
      sql,
      (await readZones(sql)).map(
        ([zone, ids]) =>
          sql`(partner_id = any(${ids}::integer[]) and ${conditionOf(sql, { tenant, filter: { isLate: true }, zone })})`,
      ),
    )
    return [
      ...(await sql<PartnerTotals[]>`
        select partner_id as id, count(*)::float8 as open,
          (count(*) filter (where ${isLate}))::float8 as late,
          coalesce(sum(amount), 0)::float8 as amount
        from deals where partner_id is not null and ${conditionOf(sql, { tenant, filter: { isOpen: true }, zone: utc })} group by 1`),
    ]
  },
  async validUntil(snapshot) {
    const zones = await readZones(snapshot.sql)
    const midnights = zones.map(([zone]) => startOfDay(addDays(dayOf(snapshot.now, zone), 1), zone))
    const next = await readNextStep(snapshot)
    const changes = next === null ? midnights : [...midnights, next.getTime()]
    return changes.length === 0 ? null : new Date(Math.min(...changes))
  },
}

/** Returns the ids of all partners, grouped by time zone. */
async function readZones(sql: ISql): Promise<[zone: Zone, ids: number[]][]> {
  const rows = await sql<{ id: number; timeZone: string | null; usualZone: string | null }[]>`
    select id, time_zone as "timeZone", usual_zone as "usualZone" from partners`
  return [...Map.groupBy(rows, zoneOfPartner)].map(([zone, partners]) => [zone, partners.map(({ id }) => id)])
}
