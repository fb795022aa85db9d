import type { Transaction } from '#db/client.ts'
import type { Owner, TenantScope } from '../accounts/partner.ts'
import { endOfReplaced, endOfSuccessor } from './expiry.ts'
import { issueToken } from './issue-token.ts'
import type { Scope } from './scope.ts'
import { lockToken, replaceToken } from './store.ts'

/** A token that replaces another. The replaced token stays valid until `oldEndsAt`. */
export interface Successor {
  id: number
  token: string
  partnerId: Owner
  name: string
  scopes: Scope[]
  expiresAt: Date | null
  oldEndsAt: Date
}

/**
 * Replaces a token of the tenant with a new token that has the same name, scopes, and lifetime. The old token
 * stays valid for `grace`. Returns `missing` if there is no such token, or `ended` if it is invalid or
 * already replaced.
 */
export async function issueSuccessor(
  tx: Transaction,
  tenant: TenantScope,
  { id, grace, now }: { id: number; grace: string; now: Date },
): Promise<Successor | 'missing' | 'ended'> {
  const old = await lockToken(tx, tenant, id)
  if (old === undefined) return 'missing'
  if (old.revokedAt !== null || old.replacedById !== null || (old.expiresAt !== null && old.expiresAt <= now))
    return 'ended'
  // The successor of a token without a partner would become internal.
  if (old.partnerId === null && !old.isInternal) return 'missing'
  const { partnerId, name, scopes, sheet } = old
  const expiresAt = endOfSuccessor(old, now)
  const issued = await issueToken(tx, { partnerId, name, scopes, expiresAt, sheet })
  const oldEndsAt = endOfReplaced(old.expiresAt, grace, now)!
  await replaceToken(tx, tenant, id, { replacedById: issued.id, endsAt: oldEndsAt })
  return { ...issued, partnerId, name, scopes, expiresAt, oldEndsAt }
}
