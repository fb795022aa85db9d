import { type AuditContext, audited } from '../access/audited.ts'
import type { Zone } from '../values/zone.ts'
import type { PartnerId } from './partner.ts'
import { setPartnerZone } from './store.ts'

/**
 * Sets the time zone of a partner, which applies to users who have not chosen their own. Null derives the
 * time zone from the deals.
 */
export function changePartnerZone(
  context: AuditContext,
  partnerId: PartnerId,
  slug: string,
  zone: Zone | null,
): Promise<void> {
  const subject = `${slug} (${zone ?? 'that of most deals'})`
  return audited(context, { action: 'partner.time-zone-changed', subject, partnerId }, (tx) =>
    setPartnerZone(tx, partnerId, zone),
  )
}
