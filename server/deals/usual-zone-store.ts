import type { Database } from '#db/client.ts'
import { usualZone } from '../accounts/usual-zone.ts'

/**
 * Updates the usual time zone of partners whose deal count has doubled since the last time. So pages need not
 * count deals, and the zone is stable.
 * @system imports
 */
export async function updateUsualZones(db: Database): Promise<void> {
  const sql = db.$client
  const grown = await sql<{ id: number; deals: number }[]>`
    select partners.id, deal_lists.deal_count::float8 as deals from partners join deal_lists using (id)
    where deal_lists.deal_count > 0 and deal_lists.deal_count >= 2 * partners.usual_zone_deals`
  for (const { id, deals } of grown) {
    const counts = await sql<{ state: string; count: number }[]>`
      select coalesce(state, '') as state, count(*)::float8 as count from deals where partner_id = ${id} group by 1`
    await sql`update partners set usual_zone = ${usualZone(counts)}, usual_zone_deals = ${deals} where id = ${id}`
  }
}
