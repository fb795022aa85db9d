import { type SQL, and, count, eq, gt, inArray, isNull, lte, min, sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { tokens } from '#db/schema/tokens.ts'
import type { PartnerId } from '../accounts/partner.ts'

const expiresWithin = (span: SQL) =>
  and(
    gt(tokens.expiresAt, sql`now()`),
    lte(tokens.expiresAt, sql`now() + ${span}`),
    isNull(tokens.revokedAt),
    isNull(tokens.replacedById),
  )

const week = sql`interval '7 days'`

/** Returns the number of a partner's tokens that expire within 7 days, and the first expiry. */
export async function readExpiring(
  db: Database,
  partnerId: PartnerId,
): Promise<{ count: number; first: Date | null }> {
  const [expiring] = await db
    .select({ count: count(), first: min(tokens.expiresAt) })
    .from(tokens)
    .where(and(eq(tokens.partnerId, partnerId), expiresWithin(week)))
  return expiring!
}

/** A token that expires soon. */
export interface ExpiringToken {
  id: number
  name: string
  prefix: string
  /** True if the token is the key of a sheet link. */
  isSheet: boolean
  expiresAt: Date
}

/**
 * Returns the condition that a warning is due for a token: 7 days before expiry or, for short-lived tokens,
 * in the last third of the lifetime.
 */
const isDue = () =>
  and(
    isNull(tokens.warnedAt),
    expiresWithin(sql`least(${week}, (${tokens.expiresAt} - ${tokens.createdAt}) / 3)`),
  )

/** Returns the partners with tokens for which a warning is due. @system the worker */
export async function findPartnersToWarn(db: Database): Promise<number[]> {
  const due = await db
    .selectDistinct({ partnerId: partners.id })
    .from(tokens)
    .innerJoin(partners, eq(partners.id, tokens.partnerId))
    .where(and(isNull(partners.suspendedAt), isDue()))
  return due.map(({ partnerId }) => partnerId)
}

/** Returns the partner's tokens for which a warning is due. */
export async function readUnwarned(db: Database, partnerId: PartnerId): Promise<ExpiringToken[]> {
  const due = await db
    .select({
      id: tokens.id,
      name: tokens.name,
      prefix: tokens.prefix,
      isSheet: sql<boolean>`${tokens.sheet} is not null`,
      expiresAt: tokens.expiresAt,
    })
    .from(tokens)
    .where(and(eq(tokens.partnerId, partnerId), isDue()))
  return due as ExpiringToken[]
}

/** Records that the admins of a partner were warned of these tokens. */
export async function recordWarned(db: Database, partnerId: PartnerId, ids: number[]): Promise<void> {
  await db
    .update(tokens)
    .set({ warnedAt: sql`now()` })
    .where(and(eq(tokens.partnerId, partnerId), inArray(tokens.id, ids)))
}
