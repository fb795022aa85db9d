import { randomBytes } from 'node:crypto'
import type { Transaction, Database } from '#db/client.ts'
import type { Owner, TenantScope } from '../accounts/partner.ts'
import { endOfReplaced, endOfSuccessor } from './expiry.ts'
import { type Scope, internalScopes, scopes } from './policy.ts'
import { lockToken, replaceToken, insertToken } from './store.ts'
import { hashToken, makeToken, displayPrefix } from './token.ts'

/**
 * A token to create. If `partnerId` is null, the token is internal. By default, the token gets all scopes of
 * its kind.
 */
export interface TokenOrder {
  partnerId: Owner
  name: string
  scopes?: readonly Scope[]
  expiresAt: Date | null
  /** Content of the sheet if the token is the key of a sheet link. */
  sheet?: unknown
}

/** Creates a token. Returns the text of the token, which is never shown again. */
export async function issueToken(
  db: Database | Transaction,
  order: TokenOrder,
): Promise<{ id: number; token: string; prefix: string }> {
  const token = makeToken((count) => randomBytes(count))
  const prefix = displayPrefix(token)
  const id = await insertToken(db, {
    partnerId: order.partnerId,
    name: order.name,
    prefix,
    hash: hashToken(token),
    scopes: order.scopes ?? (order.partnerId === null ? internalScopes : scopes),
    expiresAt: order.expiresAt,
    sheet: order.sheet,
  })
  return { id, token, prefix }
}

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
