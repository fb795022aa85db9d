import { type SQL, and, asc, count, eq, getTableColumns, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners, users } from '#db/schema/accounts.ts'
import { dealLists } from '#db/schema/deals.ts'
import { tokens } from '#db/schema/tokens.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import { endAccess } from '../accounts/access-store.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { adminRoles } from '../accounts/role.ts'
import { hasJoined } from '../accounts/user-store.ts'
import { isActive } from '../tokens/store.ts'
import { currentHealthOf } from '../webhooks/health.ts'
import { resumeEndpoints, suspendEndpoints } from '../webhooks/store.ts'
import type { PartnerSort } from './policy.ts'
import type { PartnerTotals } from './totals-store.ts'

interface PartnersQuery {
  search: string
  skip: number
  sort: PartnerSort
  /** Null if unknown. */
  totals: PartnerTotals[] | null
  limit: number
}

/** Returns a page of partners with their counts. @system operators */
export async function readPartners(
  db: Database,
  { search, skip, sort: { field, direction }, totals, limit }: PartnersQuery,
) {
  const none = sql`${totals === null ? null : 0}::float8`
  const order = sql`${sortKeys[field]} ${sql.raw(direction)} nulls last`
  const rows = await db
    .select({
      ...getTableColumns(partners),
      open: sql<number | null>`coalesce(total.open, ${none})`,
      late: sql<number | null>`coalesce(total.late, ${none})`,
      amount: sql<number | null>`coalesce(total.amount, ${none})`,
      seenAt: sql<Date | null>`seen.at`.mapWith(users.seenAt),
    })
    .from(partners)
    .leftJoin(
      sql`json_to_recordset(${JSON.stringify(totals ?? [])}::json) as total (id integer, open float8, late float8, amount float8)`,
      sql`total.id = ${partners.id}`,
    )
    .leftJoin(
      sql`(select partner_id, max(seen_at) as at from users group by 1) seen`,
      sql`seen.partner_id = ${partners.id}`,
    )
    .leftJoin(dealLists, eq(dealLists.id, partners.id))
    .where(
      search === ''
        ? undefined
        : sql`strpos(lower(${partners.name} || ' ' || ${partners.slug}), lower(${search})) > 0`,
    )
    .orderBy(order, asc(partners.slug))
    .offset(skip)
    .limit(limit)
  const ids = rows.map(({ id }) => id)
  const [deals, people, working, own] = await Promise.all([
    countDeals(db, ids),
    countPeople(db, ids),
    countWorkingTokens(db, ids),
    readEndpoints(db, ids),
  ])
  return rows.map(
    ({ id, usualZoneDeals: _deals, membersSeeScorecard: _scorecard, pushNames: _names, ...partner }) => {
      const team = people.find((count) => count.id === id)
      return {
        ...partner,
        deals: deals.find((list) => list.id === id)?.count ?? 0,
        people: team?.accepted ?? 0,
        admins: team?.admins ?? 0,
        adminSeenAt: team?.adminSeenAt ?? null,
        invited: team === undefined ? 0 : team.all - team.accepted,
        tokens: working.find((count) => count.id === id)?.count ?? 0,
        endpoints: own.filter(({ partnerId }) => partnerId === id).map(lineOf),
      }
    },
  )
}

/** Severity of a partner's webhook problems, or null if it has no endpoints. */
const webhookProblems = sql`(
  select max(case when switched_off_because is not null then 2
    when failing_since is not null or check_answer is not null then 1 else 0 end)
  from endpoints where partner_id = ${partners.id})`

const sortKeys: Record<PartnerSort['field'], SQL> = {
  slug: sql`${partners.slug}`,
  deals: sql`coalesce(${dealLists.dealCount}, 0)`,
  open: sql`coalesce(total.open, 0)`,
  late: sql`coalesce(total.late, 0)`,
  amount: sql`coalesce(total.amount, 0)`,
  seen: sql`seen.at`,
  webhooks: webhookProblems,
  createdAt: sql`${partners.createdAt}`,
}

function countDeals(db: Database, ids: number[]) {
  return db
    .select({ id: dealLists.id, count: dealLists.dealCount })
    .from(dealLists)
    .where(inArray(dealLists.id, ids))
}

/** Returns the number of users, active users and admins per partner, and the last activity of an admin. */
function countPeople(db: Database, ids: number[]) {
  const isAdmin = and(hasJoined, inArray(users.role, adminRoles))
  return db
    .select({
      id: users.partnerId,
      accepted: sql<number>`count(*) filter (where ${hasJoined})`.mapWith(Number),
      all: count(),
      admins: sql<number>`count(*) filter (where ${isAdmin})`.mapWith(Number),
      adminSeenAt:
        sql<Date | null>`max(coalesce(${users.seenAt}, ${users.createdAt})) filter (where ${isAdmin})`.mapWith(
          users.seenAt,
        ),
    })
    .from(users)
    .where(inArray(users.partnerId, ids))
    .groupBy(users.partnerId)
}

/** Returns the number of active tokens per partner. */
function countWorkingTokens(db: Database, ids: number[]) {
  return db
    .select({ id: tokens.partnerId, count: count() })
    .from(tokens)
    .where(and(inArray(tokens.partnerId, ids), isActive))
    .groupBy(tokens.partnerId)
}

const lineOf = (endpoint: typeof endpoints.$inferSelect) => ({
  kind: endpoint.kind,
  name: endpoint.name,
  health: currentHealthOf(endpoint, new Date()).state,
})

function readEndpoints(db: Database, ids: number[]) {
  return db.select().from(endpoints).where(inArray(endpoints.partnerId, ids)).orderBy(asc(endpoints.kind))
}

export async function updateName(tx: Transaction, id: PartnerId, name: string): Promise<void> {
  await tx.update(partners).set({ name }).where(eq(partners.id, id))
}

/** Suspends a partner. Deals and events are still recorded. Returns false if it was already suspended. */
export async function setSuspended(tx: Transaction, id: PartnerId): Promise<boolean> {
  // Called first, because it locks the partner.
  await suspendEndpoints(tx, id)
  const suspended = await tx
    .update(partners)
    .set({ suspendedAt: sql`now()` })
    .where(and(eq(partners.id, id), isNull(partners.suspendedAt)))
    .returning({ id: partners.id })
  await endAccess(tx, { partnerId: id })
  return suspended.length > 0
}

/** Resumes a partner and sends pending deliveries. Returns false if it was not suspended. */
export async function clearSuspended(tx: Transaction, id: PartnerId): Promise<boolean> {
  await resumeEndpoints(tx, id)
  const resumed = await tx
    .update(partners)
    .set({ suspendedAt: null })
    .where(and(eq(partners.id, id), isNotNull(partners.suspendedAt)))
    .returning({ id: partners.id })
  return resumed.length > 0
}
