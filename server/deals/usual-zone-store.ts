import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { usualZone } from '../accounts/usual-zone.ts'

/**
 * Returns the partners whose number of deals has doubled since their usual time zone was last updated.
 * @system the worker
 */
export async function findGrownPartners({ $client: sql }: Database): Promise<PartnerId[]> {
  const grown = await sql<{ id: PartnerId }[]>`
    select partners.id from partners join deal_lists using (id)
    where deal_lists.deal_count > 0 and deal_lists.deal_count >= 2 * partners.usual_zone_deals`
  return grown.map(({ id }) => id)
}

/**
 * Updates a partner's usual time zone. The zone is stored, so that pages do not have to count deals, and so
 * that it does not change often.
 */
export async function updateUsualZone({ $client: sql }: Database, partnerId: PartnerId): Promise<void> {
  const counts = await sql<{ state: string; count: number }[]>`
    select coalesce(state, '') as state, count(*)::float8 as count from deals where partner_id = ${partnerId} group by 1`
  const deals = counts.reduce((sum, { count }) => sum + count, 0)
  await sql`update partners set usual_zone = ${usualZone(counts)}, usual_zone_deals = ${deals} where id = ${partnerId}`
}

/** Updates the usual time zones of all partners whose number of deals has doubled. @system imports */
export async function updateUsualZones(db: Database): Promise<void> {
  for (const partnerId of await findGrownPartners(db)) await updateUsualZone(db, partnerId)
}
