import type { Transaction } from '#db/client.ts'
import type { Owner, Reach } from '../accounts/partner.ts'
import { createToken } from './create-token.ts'
import { endOfReplaced, endOfSuccessor } from './expiry.ts'
import type { Scope } from './scope.ts'
import { holdToken, replaceToken } from './store.ts'

/** A token that has taken the place of another, which works until `oldEndsAt`. */
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
 * Makes a token of the same name, scopes and length of life that takes the place of one within reach, which works on
 * for `grace`. `missing` when there is no such token, `ended` when it works no longer or is replaced already.
 */
export async function rotateToken(
  tx: Transaction,
  reach: Reach,
  { id, grace, now }: { id: number; grace: string; now: Date },
): Promise<Successor | 'missing' | 'ended'> {
  const old = await holdToken(tx, reach, id)
  if (old === undefined) return 'missing'
  if (old.revokedAt !== null || old.replacedById !== null || (old.expiresAt !== null && old.expiresAt <= now))
    return 'ended'
  const { partnerId, name, scopes } = old
  const expiresAt = endOfSuccessor(old, now)
  const made = await createToken(tx, { partnerId, name, scopes, expiresAt })
  const oldEndsAt = endOfReplaced(old.expiresAt, grace, now)!
  await replaceToken(tx, reach, id, { replacedById: made.id, endsAt: oldEndsAt })
  return { ...made, partnerId, name, scopes, expiresAt, oldEndsAt }
}
