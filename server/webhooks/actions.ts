import { type AuditContext, audited } from '../access/audited.ts'
import type { PartnerId, Reach } from '../accounts/partner.ts'
import { Refusal, notFound } from '../protocol/errors.ts'
import { type SigningSecret, rotateSecret as makeCurrent } from './endpoints/secret-store.ts'
import { resend, resendFailed } from './log/store.ts'
import { type EndpointUrls, writeEndpoints } from './store.ts'
import { describeEndpoints } from './wire.ts'

// What admins and operators do about webhooks, by the portal, the interface or command.

/** Sets the addresses that are given, which were checked, and returns all that are stored then. */
export function setEndpoints(
  context: AuditContext,
  partnerId: PartnerId,
  given: Partial<EndpointUrls>,
): Promise<EndpointUrls> {
  return audited(context, { action: 'address.changed', subject: describeEndpoints(given), partnerId }, (tx) =>
    writeEndpoints(tx, partnerId, given),
  )
}

/** Makes a new secret the current one, and returns those that sign now. @throws Refusal 400 when there are too many */
export function rotateSecret(
  context: AuditContext,
  partnerId: PartnerId,
  encryptionKey: Buffer,
): Promise<SigningSecret[]> {
  return audited(context, { action: 'secret.rotated', partnerId }, async (tx) => {
    const secrets = await makeCurrent(tx, partnerId, encryptionKey)
    if (secrets === null)
      throw new Refusal(
        'BAD_REQUEST',
        'The secret was rotated several times within a day: wait until an older one has ended',
      )
    return secrets
  })
}

/** Resends a delivery within reach. @throws Refusal 404 when there is none to an address that is set, 400 when it was withdrawn */
export function resendOne(context: AuditContext, reach: Reach, id: number): Promise<void> {
  return audited(
    context,
    { action: 'delivery.resent', subject: `delivery ${id}`, partnerId: ownerOf(reach) },
    async (tx) => {
      if (!(await resend(tx, reach, id))) throw notFound('Delivery')
    },
  )
}

/** Resends the deliveries within reach that failed since then, and returns how many. */
export function resendAll(context: AuditContext, reach: Reach, since: Date): Promise<number> {
  return audited(
    context,
    (count: number) => ({
      action: 'deliveries.resent',
      subject: `${count} that failed since ${since.toISOString()}`,
      partnerId: ownerOf(reach),
    }),
    (tx) => resendFailed(tx, reach, since),
  )
}

const ownerOf = (reach: Reach) => (reach === 0 ? null : reach)
