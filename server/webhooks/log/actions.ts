import { type AuditContext, audited } from '../../access/audited.ts'
import { type TenantScope, ownerOf } from '../../accounts/partner.ts'
import { notFound } from '../../errors.ts'
import { type ResendDeliveries, describeResent } from '../wire.ts'
import { findSearched } from './filter-store.ts'
import { resend, resendAllOf } from './resend-store.ts'

// Actions for resending, shared by the portal and commands.

/**
 * Resends a delivery of the tenant.
 * @throws ApiError 404 if it does not exist or its endpoint is not set, 400 if it was withdrawn
 */
export function resendOne(context: AuditContext, tenant: TenantScope, id: number): Promise<void> {
  return audited(
    context,
    { action: 'delivery.resent', subject: `delivery ${id}`, partnerId: ownerOf(tenant) },
    async (tx) => {
      if (!(await resend(tx, tenant, id))) throw notFound('Delivery')
    },
  )
}

/** Resends the tenant's deliveries that match the filter. Returns the count. */
export async function resendAll(
  context: AuditContext,
  tenant: TenantScope,
  filter: ResendDeliveries,
): Promise<number> {
  const search = await findSearched(context.db, tenant, filter.search)
  return audited(
    context,
    (count: number) => ({
      action: 'deliveries.resent',
      subject: describeResent(count, filter),
      partnerId: ownerOf(tenant),
    }),
    (tx) => resendAllOf(tx, tenant, { ...filter, search }),
  )
}
