import { type AuditContext, audited } from '../access/audited.ts'
import { setFileQuota } from '../accounts/limit-store.ts'
import { formatGb } from '../accounts/limit.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { type Partner, insertPartner } from '../accounts/store.ts'
import { ApiError } from '../errors.ts'
import type { Zone } from '../values/zone.ts'
import * as store from './store.ts'

/** Creates a partner. @throws ApiError 400 if the slug is taken */
export function createPartner(
  context: AuditContext,
  { slug, name, timeZone = null }: { slug: string; name: string; timeZone?: Zone | null | undefined },
): Promise<Partner> {
  return audited(
    context,
    ({ id }: Partner) => ({ action: 'partner.created', subject: slug, partnerId: id }),
    async (tx) => {
      const partner = await insertPartner(tx, slug, name, timeZone)
      if (partner === undefined)
        throw new ApiError('BAD_REQUEST', 'The request is not valid', {
          errors: ['slug: is taken by another partner'],
        })
      return partner
    },
  )
}

/** Renames a partner. The slug stays the same. */
export function renamePartner(
  context: AuditContext,
  partnerId: PartnerId,
  slug: string,
  name: string,
): Promise<void> {
  return audited(context, { action: 'partner.renamed', subject: `${slug} (${name})`, partnerId }, (tx) =>
    store.updateName(tx, partnerId, name),
  )
}

/** Sets the number of bytes that a partner's users may attach, or null for the default. */
export function changeFileQuota(
  context: AuditContext,
  partnerId: PartnerId,
  slug: string,
  quotaBytes: number | null,
): Promise<void> {
  const subject = `${slug} (${quotaBytes === null ? 'default' : `${formatGb(quotaBytes)} GB`})`
  return audited(context, { action: 'partner.file-quota-changed', subject, partnerId }, (tx) =>
    setFileQuota(tx, partnerId, quotaBytes),
  )
}

/** Blocks all access for a partner and stops its webhooks. @throws ApiError 400 if it is already suspended */
export function suspendPartner(context: AuditContext, partnerId: PartnerId, slug: string): Promise<void> {
  return audited(context, { action: 'partner.suspended', subject: slug, partnerId }, async (tx) => {
    if (!(await store.setSuspended(tx, partnerId)))
      throw new ApiError('BAD_REQUEST', 'The partner is already suspended')
  })
}

/** Ends the suspension of a partner. @throws ApiError 400 if it is not suspended */
export function resumePartner(context: AuditContext, partnerId: PartnerId, slug: string): Promise<void> {
  return audited(context, { action: 'partner.resumed', subject: slug, partnerId }, async (tx) => {
    if (!(await store.clearSuspended(tx, partnerId)))
      throw new ApiError('BAD_REQUEST', 'The partner is not suspended')
  })
}
