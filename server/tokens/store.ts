import {
  type SQL,
  and,
  count,
  eq,
  gt,
  inArray,
  isNull,
  lte,
  min,
  sql,
  asc,
  desc,
  getTableColumns,
  isNotNull,
  lt,
  or,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { tokens, tokenDays } from '#db/schema/tokens.ts'
import type { PartnerId, Owner, TenantScope } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import type { Scope } from './policy.ts'
import { labelOf } from './token.ts'

/** Records the last use of a token, at most once a minute. @proof the token of the request */
export async function recordTokenUse(
  db: Database,
  id: number,
  { address, agent }: { address: string | null; agent: string },
): Promise<void> {
  await db
    .update(tokens)
    .set({ lastUsedAt: sql`now()`, lastUsedFrom: address, lastUsedBy: agent })
    .where(
      and(
        eq(tokens.id, id),
        or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, sql`now() - interval '1 minute'`)),
      ),
    )
}

/** Returns the label of a token of the tenant, which must exist: its name and prefix. */
export async function labelToken(
  db: Database | Transaction,
  tenant: TenantScope,
  id: number,
): Promise<string> {
  const [token] = await db
    .select({ name: tokens.name, prefix: tokens.prefix })
    .from(tokens)
    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))
  return labelOf(token!)
}

/** A token to store. If `partnerId` is null, the token is internal. */
export type StoredToken = Pick<typeof tokens.$inferInsert, 'name' | 'prefix' | 'hash' | 'expiresAt'> & {
  partnerId: Owner
  scopes: readonly Scope[]
  sheet?: unknown
}

/** Inserts a token and returns its id. */
export async function insertToken(db: Database | Transaction, token: StoredToken): Promise<number> {
  const [row] = await db
    .insert(tokens)
    .values({ ...token, isInternal: token.partnerId === null, scopes: [...token.scopes] })
    .returning({ id: tokens.id })
  return row!.id
}

const successor = alias(tokens, 'successor')

const listed = {
  id: tokens.id,
  name: tokens.name,
  prefix: tokens.prefix,
  scopes: sql<Scope[]>`${tokens.scopes}`,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  lastUsedAt: tokens.lastUsedAt,
  lastUsedFrom: tokens.lastUsedFrom,
  lastUsedBy: tokens.lastUsedBy,
  revokedAt: tokens.revokedAt,
  replacedById: tokens.replacedById,
  isSheet: sql<boolean>`${tokens.sheet} is not null`,
  isSuspended: sql<boolean>`${partners.suspendedAt} is not null`,
}

/** Returns all tokens in order of creation, with the slugs of their partners. @system operators */
export function listTokens(db: Database) {
  return db
    .select({ ...listed, partner: partners.slug })
    .from(tokens)
    .leftJoin(partners, eq(partners.id, tokens.partnerId))
    .orderBy(asc(tokens.id))
}

const hasEnded = or(isNotNull(tokens.revokedAt), lte(tokens.expiresAt, sql`now()`))
/** The condition that a token is neither revoked nor expired. */
export const isActive = and(
  isNull(tokens.revokedAt),
  or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
)

/**
 * Returns the condition that a token belongs to the partner with this slug or, for null, to the installer.
 * Returns undefined for all owners.
 */
function ownedBy(owner: string | null | undefined): SQL | undefined {
  if (owner === undefined) return undefined
  return owner === null ? isNull(tokens.partnerId) : eq(partners.slug, owner)
}

export interface TokensQuery {
  isEnded: boolean
  /** Slug of the partner, or null for the installer. */
  owner?: string | null | undefined
  cursor?: number | null | undefined
}

/** Returns up to `count` tokens of the tenant, newest first, with usage counts. */
export function readTokens(
  db: Database,
  tenant: TenantScope,
  { isEnded, owner, cursor }: TokensQuery,
  count: number,
) {
  const used = db
    .select({
      today: sumOf(tokenDays.requests, sql`${tokenDays.day} = current_date`).as('today'),
      week: sumOf(tokenDays.requests).as('week'),
      weekErrors: sumOf(tokenDays.errors).as('week_errors'),
    })
    .from(tokenDays)
    .where(and(eq(tokenDays.tokenId, tokens.id), gt(tokenDays.day, sql`current_date - 7`)))
    .as('used')
  return db
    .select({
      ...listed,
      partner: { slug: partners.slug, name: partners.name },
      replacedBy: successor.prefix,
      requests: { today: used.today, week: used.week, weekErrors: used.weekErrors },
    })
    .from(tokens)
    .leftJoin(partners, eq(partners.id, tokens.partnerId))
    .leftJoin(successor, eq(successor.id, tokens.replacedById))
    .innerJoinLateral(used, sql`true`)
    .where(
      and(
        within(tenant, tokens.partnerId),
        isEnded ? hasEnded : isActive,
        cursor == null ? undefined : lt(tokens.id, cursor),
        ownedBy(owner),
      ),
    )
    .orderBy(desc(tokens.id))
    .limit(count)
}

const sumOf = (column: typeof tokenDays.requests | typeof tokenDays.errors, filter: SQL = sql`true`) =>
  sql<number>`coalesce(sum(${column}) filter (where ${filter}), 0)::float8`

/** Returns true if the token belongs to the tenant. */
export async function isTokenWithin(db: Database, tenant: TenantScope, id: number): Promise<boolean> {
  return (await db.$count(tokens, and(eq(tokens.id, id), within(tenant, tokens.partnerId)))) > 0
}

/** Locks and returns the token, or returns undefined if the tenant has no such token. */
export async function lockToken(tx: Transaction, tenant: TenantScope, id: number) {
  const [token] = await tx
    .select({ ...getTableColumns(tokens), owner: sql<Owner>`${tokens.partnerId}` })
    .from(tokens)
    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))
    .for('update')
  return token && { ...token, partnerId: token.owner, scopes: token.scopes as Scope[] }
}

const worksFor = (partnerId: Owner) =>
  and(partnerId === null ? isNull(tokens.partnerId) : eq(tokens.partnerId, partnerId), isActive)

/** Returns the number of active tokens that have not been replaced, for a partner or the installer (null). */
export const countWorkingTokens = (db: Database | Transaction, partnerId: Owner): Promise<number> =>
  db.$count(tokens, and(worksFor(partnerId), isNull(tokens.replacedById)))

/** Returns the number of active tokens, including tokens that have been replaced. */
export const countValidTokens = (db: Database | Transaction, partnerId: Owner): Promise<number> =>
  db.$count(tokens, worksFor(partnerId))

/**
 * Marks a token of the tenant as replaced by another token. The replaced token stays valid until `endsAt`.
 */
export async function replaceToken(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
  { replacedById, endsAt }: { replacedById: number; endsAt: Date },
): Promise<void> {
  await tx
    .update(tokens)
    .set({ replacedById, expiresAt: endsAt })
    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))
}

/** Revokes a token of the tenant. Returns false if the token does not exist. */
export async function markRevoked(
  db: Database | Transaction,
  tenant: TenantScope,
  id: number,
): Promise<boolean> {
  const rows = await db
    .update(tokens)
    .set({ revokedAt: sql`coalesce(${tokens.revokedAt}, now())` })
    .where(and(eq(tokens.id, id), within(tenant, tokens.partnerId)))
    .returning({ id: tokens.id })
  return rows.length > 0
}

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

/** Returns how many tokens of all owners expire within `days` without a replacement. @system operators */
export const countExpiring = (db: Database, days: number): Promise<number> =>
  db.$count(tokens, expiresWithin(sql`${days} * interval '1 day'`))

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
