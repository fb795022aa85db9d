import { and, asc, count, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners, sessions, users } from '#db/schema/accounts.ts'
import { dealLists } from '#db/schema/deals.ts'
import { tokens } from '#db/schema/tokens.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { troubleOf } from '../webhooks/endpoints/health.ts'
import { resumeEndpoints, suspendEndpoints } from '../webhooks/store.ts'

/** Returns partners by slug, each with its counts. @system operators */
export async function readPartners(
  db: Database,
  { search, behind, limit }: { search: string; behind: string | undefined; limit: number },
) {
  const rows = await db
    .select()
    .from(partners)
    .where(
      and(
        search === ''
          ? undefined
          : sql`strpos(lower(${partners.name} || ' ' || ${partners.slug}), lower(${search})) > 0`,
        behind === undefined ? undefined : gt(partners.slug, behind),
      ),
    )
    .orderBy(asc(partners.slug))
    .limit(limit)
  const ids = rows.map(({ id }) => id)
  const [deals, people, working, own] = await Promise.all([
    countDeals(db, ids),
    countPeople(db, ids),
    countWorkingTokens(db, ids),
    readEndpoints(db, ids),
  ])
  return rows.map(({ id, usualZoneDeals: _usualZoneDeals, ...partner }) => {
    const team = people.find((each) => each.id === id)
    return {
      ...partner,
      deals: deals.find((each) => each.id === id)?.count ?? 0,
      people: team?.here ?? 0,
      invited: team === undefined ? 0 : team.all - team.here,
      tokens: working.find((each) => each.id === id)?.count ?? 0,
      endpoints: own
        .filter(({ partnerId }) => partnerId === id)
        .map((endpoint) => ({ kind: endpoint.kind, health: troubleOf(endpoint).state })),
    }
  })
}

function countDeals(db: Database, ids: number[]) {
  return db
    .select({ id: dealLists.id, count: dealLists.dealCount })
    .from(dealLists)
    .where(inArray(dealLists.id, ids))
}

/** Returns how many users each partner has, and how many of them have accepted their invitation. */
function countPeople(db: Database, ids: number[]) {
  const isHere = or(isNotNull(users.passwordHash), isNotNull(users.seenAt))
  return db
    .select({
      id: users.partnerId,
      here: sql<number>`count(*) filter (where ${isHere})`.mapWith(Number),
      all: count(),
    })
    .from(users)
    .where(inArray(users.partnerId, ids))
    .groupBy(users.partnerId)
}

/** Returns how many tokens of each partner are neither revoked nor expired. */
function countWorkingTokens(db: Database, ids: number[]) {
  const isWorking = and(
    isNull(tokens.revokedAt),
    or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
  )
  return db
    .select({ id: tokens.partnerId, count: count() })
    .from(tokens)
    .where(and(inArray(tokens.partnerId, ids), isWorking))
    .groupBy(tokens.partnerId)
}

function readEndpoints(db: Database, ids: number[]) {
  return db.select().from(endpoints).where(inArray(endpoints.partnerId, ids)).orderBy(asc(endpoints.kind))
}

/** Renames a partner. */
export async function updateName(tx: Transaction, id: PartnerId, name: string): Promise<void> {
  await tx.update(partners).set({ name }).where(eq(partners.id, id))
}

/**
 * Suspends a partner: blocks its tokens and sessions and sends nothing to its endpoints; its deals and events
 * are still recorded. Returns false when it is already suspended.
 */
export async function setSuspended(tx: Transaction, id: PartnerId): Promise<boolean> {
  // First, because it locks the partner before anything else.
  await suspendEndpoints(tx, id)
  const suspended = await tx
    .update(partners)
    .set({ suspendedAt: sql`now()` })
    .where(and(eq(partners.id, id), isNull(partners.suspendedAt)))
    .returning({ id: partners.id })
  await tx
    .delete(sessions)
    .where(inArray(sessions.userId, tx.select({ id: users.id }).from(users).where(eq(users.partnerId, id))))
  return suspended.length > 0
}

/**
 * Resumes a partner: its tokens and users work again, and waiting deliveries are sent. Returns false when it
 * is not suspended.
 */
export async function clearSuspended(tx: Transaction, id: PartnerId): Promise<boolean> {
  await resumeEndpoints(tx, id)
  return (
    (
      await tx
        .update(partners)
        .set({ suspendedAt: null })
        .where(and(eq(partners.id, id), isNotNull(partners.suspendedAt)))
        .returning({ id: partners.id })
    ).length > 0
  )
}
