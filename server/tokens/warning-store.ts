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
  partnerId: PartnerId
  name: string
  prefix: string
  expiresAt: Date
}

/**
 * Leases and returns tokens due for an expiry warning, each once: 7 days before, or at a third of the
 * lifetime if under three weeks.
 * @system the worker
 */
export async function leaseExpiring(db: Database): Promise<ExpiringToken[]> {
  const active = db.select({ id: partners.id }).from(partners).where(isNull(partners.suspendedAt))
  const leased = await db
    .update(tokens)
    .set({ warnedAt: sql`now()` })
    .where(
      and(
        isNull(tokens.warnedAt),
        inArray(tokens.partnerId, active),
        expiresWithin(sql`least(${week}, (${tokens.expiresAt} - ${tokens.createdAt}) / 3)`),
      ),
    )
    .returning({
      id: tokens.id,
      partnerId: tokens.partnerId,
      name: tokens.name,
      prefix: tokens.prefix,
      expiresAt: tokens.expiresAt,
    })
  return leased as ExpiringToken[]
}

/** Releases leased tokens whose warning reached no admin. @system the worker */
export async function releaseExpiring(db: Database, ids: number[]): Promise<void> {
  await db.update(tokens).set({ warnedAt: null }).where(inArray(tokens.id, ids))
}
