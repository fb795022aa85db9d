import { randomBytes } from 'node:crypto'
import type { Database, Transaction } from '#db/client.ts'
import type { Owner } from '../accounts/partner.ts'
import { type Scope, internalScopes, scopes } from './scope.ts'
import { insertToken } from './store.ts'
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
