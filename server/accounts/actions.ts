import { type AuditContext, audited } from '../access/audited.ts'
import type { Zone } from '../protocol/zone.ts'
import type { PartnerId } from './partner.ts'
import { setPartnerZone } from './store.ts'

/**
 * Sets the time zone in which a partner's users see times, unless they chose their own; null for that of most of its deals.
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
