import { randomBytes } from 'node:crypto'
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { webhookSecrets } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { secretOverlapMs } from './policy.ts'
import { makeSecret } from './signature.ts'

/** Maximum number of active secrets. More signatures would produce a header that receivers reject. */
export const secretsAtOnce = 5

export interface SigningSecret {
  secret: string
  createdAt: Date
  /** Null for the current secret. */
  expiresAt: Date | null
}

/** Returns the partner's active secrets, starting with the current one. Creates a secret if there is none. */
export async function readSecrets(
  db: Database | Transaction,
  partnerId: PartnerId,
  key: Buffer,
): Promise<SigningSecret[]> {
  const read = () =>
    db
      .select()
      .from(webhookSecrets)
      .where(
        and(
          eq(webhookSecrets.partnerId, partnerId),
          or(isNull(webhookSecrets.expiresAt), gt(webhookSecrets.expiresAt, sql`now()`)),
        ),
      )
      .orderBy(desc(webhookSecrets.id))
  let rows = await read()
  if (rows.length === 0) {
    await db
      .insert(webhookSecrets)
      .values({ partnerId, encrypted: encryptNew(partnerId, key) })
      .onConflictDoNothing()
    rows = await read()
  }
  return rows.map(({ encrypted, createdAt, expiresAt }) => ({
    secret: decryptFor(ownerOf(partnerId), encrypted, key),
    createdAt,
    expiresAt,
  }))
}

/**
 * Creates a new current secret. The previous secret stays valid for `secretOverlapMs`. Returns the active secrets,
 * or null if there are too many.
 */
export async function insertSecret(
  db: Database | Transaction,
  partnerId: PartnerId,
  key: Buffer,
): Promise<SigningSecret[] | null> {
  return db.transaction(async (tx) => {
    // Locks the partner, who may not have a secret to lock. A concurrent rotation waits and then sees the new
    // secret.
    await tx.select({ id: partners.id }).from(partners).where(eq(partners.id, partnerId)).for('update')
    const secrets = await readSecrets(tx, partnerId, key)
    if (secrets.length >= secretsAtOnce) return null
    await tx
      .update(webhookSecrets)
      .set({ expiresAt: sql`now() + ${secretOverlapMs} * interval '1 millisecond'` })
      .where(and(eq(webhookSecrets.partnerId, partnerId), isNull(webhookSecrets.expiresAt)))
    await tx.insert(webhookSecrets).values({ partnerId, encrypted: encryptNew(partnerId, key) })
    return readSecrets(tx, partnerId, key)
  })
}

/** Retires all other secrets if this secret is still current. Otherwise returns false. */
export async function endOlderSecrets(
  db: Database | Transaction,
  partnerId: PartnerId,
  key: Buffer,
  current: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.select({ id: partners.id }).from(partners).where(eq(partners.id, partnerId)).for('update')
    const [newest] = await readSecrets(tx, partnerId, key)
    if (newest?.secret !== current) return false
    await tx
      .update(webhookSecrets)
      .set({ expiresAt: sql`now()` })
      .where(and(eq(webhookSecrets.partnerId, partnerId), gt(webhookSecrets.expiresAt, sql`now()`)))
    return true
  })
}

/**
 * Checks that the key can decrypt a stored secret, if there is one.
 * @throws DecryptionError @system the start
 */
export async function checkEncryptionKey(db: Database, key: Buffer): Promise<void> {
  const [row] = await db.select().from(webhookSecrets).orderBy(desc(webhookSecrets.id)).limit(1)
  if (row !== undefined) decryptFor(ownerOf(row.partnerId), row.encrypted, key)
}

const ownerOf = (partnerId: number) => `partner ${partnerId}`
const encryptNew = (partnerId: PartnerId, key: Buffer) =>
  encryptFor(ownerOf(partnerId), makeSecret(randomBytes), key, randomBytes)
