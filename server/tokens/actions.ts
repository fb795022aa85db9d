import { type AuditContext, audited } from '../access/audited.ts'
import { lockOwner } from '../accounts/limit-store.ts'
import type { Owner, TenantScope } from '../accounts/partner.ts'
import { ApiError, notFound } from '../errors.ts'
import { type Successor, issueSuccessor, type TokenOrder, issueToken } from './issue-token.ts'
import * as store from './store.ts'
import { labelOf } from './token.ts'

/** Maximum number of active tokens, to keep the list manageable. */
const tokensMax = 100

/** Creates a token. @throws ApiError 400 if its owner has too many */
export function createToken(context: AuditContext, order: TokenOrder): ReturnType<typeof issueToken> {
  return audited(
    context,
    ({ prefix }: { prefix: string }) => ({
      action: 'token.created',
      subject: labelOf({ ...order, prefix }),
      partnerId: order.partnerId,
    }),
    async (tx) => {
      await lockOwner(tx, order.partnerId)
      if ((await store.countWorkingTokens(tx, order.partnerId)) >= tokensMax)
        throw new ApiError('BAD_REQUEST', `There are ${tokensMax} active tokens already; revoke one first`)
      return issueToken(tx, order)
    },
  )
}

/** Maximum number of active tokens, including tokens that have been replaced. */
const validTokensMax = 2 * tokensMax

/** Rotates a token of the tenant. @throws ApiError 404, or 400 if it has ended or its owner has too many */
export function rotateToken(
  context: AuditContext,
  tenant: TenantScope,
  order: { id: number; grace: string; now: Date },
): Promise<Successor> {
  return audited(
    context,
    ({ label, partnerId }: Successor & { label: string }) => ({
      action: 'token.rotated',
      subject: label,
      partnerId,
    }),
    async (tx) => {
      const successor = await issueSuccessor(tx, tenant, order)
      if (successor === 'missing') throw notFound('Token')
      if (successor === 'ended')
        throw new ApiError('BAD_REQUEST', 'This token has ended or has already been replaced')
      await lockOwner(tx, successor.partnerId)
      if ((await store.countValidTokens(tx, successor.partnerId)) > validTokensMax)
        throw new ApiError(
          'BAD_REQUEST',
          `There are ${validTokensMax} active tokens already, including replaced ones; revoke one first`,
        )
      return { ...successor, label: await store.labelToken(tx, tenant, order.id) }
    },
  )
}

/** Revokes a token of the tenant. @throws ApiError 404 if it does not exist or is already revoked */
export async function revokeToken(context: AuditContext, tenant: TenantScope, id: number): Promise<void> {
  await audited(
    context,
    ({ label, partnerId }: { label: string; partnerId: Owner }) => ({
      action: 'token.revoked',
      subject: label,
      partnerId,
    }),
    async (tx) => {
      const token = await store.lockToken(tx, tenant, id)
      if (token === undefined || token.revokedAt !== null) throw notFound('Token')
      await store.markRevoked(tx, tenant, id)
      return { partnerId: token.partnerId, label: labelOf(token) }
    },
  )
}
