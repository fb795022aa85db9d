import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { tokens } from '#db/schema/tokens.ts'
import type { Scope } from './scope.ts'

/** Notes that a token was used, and from where, unless that was noted within the last minute. */
export async function noteTokenUse(db: Database, id: number, { address, agent }: { address: string | null; agent: string }): Promise<void> {
  await db.update(tokens).set({ lastUsedAt: sql`now()`, lastUsedFrom: address, lastUsedBy: agent })
    .where(and(eq(tokens.id, id), or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, sql`now() - interval '1 minute'`))))
}

/** How people call a token: by its name and the start of its text. */
export async function labelToken(db: Database | Transaction, id: number): Promise<string> {
  const [token] = await db.select({ name: tokens.name, prefix: tokens.prefix }).from(tokens).where(eq(tokens.id, id))
  return `${token!.name} (${token!.prefix}…)`
}

/** What is kept of a new token; `partnerId` null makes it an internal one. */
export type NewToken = Pick<typeof tokens.$inferInsert, 'partnerId' | 'name' | 'prefix' | 'hash' | 'expiresAt'> & { scopes: readonly Scope[] }

/** The id of the new token. */
export async function insertToken(db: Database, token: NewToken): Promise<number> {
  const [row] = await db.insert(tokens).values({ ...token, scopes: [...token.scopes] }).returning({ id: tokens.id })
  return row!.id
}

/** All tokens in the order they were made, with their partner's slug (null: internal); for the operator. */
export function listTokens(db: Database) {
  return db.select({
    id: tokens.id,
    partner: partners.slug,
    name: tokens.name,
    prefix: tokens.prefix,
    scopes: tokens.scopes,
    createdAt: tokens.createdAt,
    expiresAt: tokens.expiresAt,
    lastUsedAt: tokens.lastUsedAt,
    revokedAt: tokens.revokedAt,
  }).from(tokens).leftJoin(partners, eq(partners.id, tokens.partnerId)).orderBy(asc(tokens.id))
}

/** Whether there is such a token; it is revoked from now on. */
export async function revokeToken(db: Database, id: number): Promise<boolean> {
  const rows = await db.update(tokens).set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })
    .where(eq(tokens.id, id)).returning({ id: tokens.id })
  return rows.length > 0
}
