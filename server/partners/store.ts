import { and, asc, count, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners, sessions, users } from '#db/schema/accounts.ts'
import { dealLists } from '#db/schema/deals.ts'
import { tokens } from '#db/schema/tokens.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { resumeEndpoints, suspendEndpoints } from '../webhooks/store.ts'

/** Partners by slug, each with how much there is of it. @system operators */
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
  const isHere = or(isNotNull(users.passwordHash), isNotNull(users.seenAt))
  const isWorking = and(
    isNull(tokens.revokedAt),
    or(isNull(tokens.expiresAt), gt(tokens.expiresAt, sql`now()`)),
  )
  const [deals, people, working, addresses] = await Promise.all([
    db
      .select({ id: dealLists.id, count: dealLists.dealCount })
      .from(dealLists)
      .where(inArray(dealLists.id, ids)),
    db
      .select({
        id: users.partnerId,
        here: sql<number>`count(*) filter (where ${isHere})`.mapWith(Number),
        all: count(),
      })
      .from(users)
      .where(inArray(users.partnerId, ids))
      .groupBy(users.partnerId),
    db
      .select({ id: tokens.partnerId, count: count() })
      .from(tokens)
      .where(and(inArray(tokens.partnerId, ids), isWorking))
      .groupBy(tokens.partnerId),
    db
      .select({
        id: endpoints.partnerId,
        kind: endpoints.kind,
        failingSince: endpoints.failingSince,
        switchedOffBecause: endpoints.switchedOffBecause,
      })
      .from(endpoints)
      .where(inArray(endpoints.partnerId, ids))
      .orderBy(asc(endpoints.kind)),
  ])
  return rows.map(({ id, ...partner }) => {
    const team = people.find((each) => each.id === id)
    return {
      ...partner,
      deals: deals.find((each) => each.id === id)?.count ?? 0,
      people: team?.here ?? 0,
      invited: team === undefined ? 0 : team.all - team.here,
      tokens: working.find((each) => each.id === id)?.count ?? 0,
      addresses: addresses
        .filter((each) => each.id === id)
        .map(({ kind, failingSince, switchedOffBecause }) => ({ kind, failingSince, switchedOffBecause })),
    }
  })
}

/** Calls a partner by another name. */
export async function renamePartner(tx: Transaction, id: PartnerId, name: string): Promise<void> {
  await tx.update(partners).set({ name }).where(eq(partners.id, id))
}

/**
 * From now on nobody of the partner gets in, by token or by session, and nothing is sent to its addresses; its deals and events go on
 * being recorded. False when that is so already.
 */
export async function suspendPartner(tx: Transaction, id: PartnerId): Promise<boolean> {
  // First: it holds the partner before anything else is held.
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

/** Ends that: tokens work again, people sign in again, and what has waited for the addresses is sent. False when the partner is not suspended. */
export async function resumePartner(tx: Transaction, id: PartnerId): Promise<boolean> {
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
