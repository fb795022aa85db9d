import { and, asc, eq, gt, inArray, isNull, ne, not, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, users } from '#db/schema/accounts.ts'
import { lockOwner } from './limit-store.ts'
import type { Everyone, Owner, PartnerId, TenantScope } from './partner.ts'
import { type TeamRole, managerRoles } from './role.ts'
import { within } from './store.ts'
import { hasJoined, isJoined, userColumns } from './user-store.ts'
import type { User } from './user.ts'

const other = alias(users, 'other')

/** True in SQL if no other user who has joined is an admin of the same partner, or an operator. */
const isLast = (db: Database | Transaction) =>
  sql<boolean>`${inArray(users.role, managerRoles)} and ${hasJoined} and not exists ${db
    .select({ id: other.id })
    .from(other)
    .where(
      and(
        ne(other.id, users.id),
        eq(other.role, users.role),
        sql`${other.partnerId} is not distinct from ${users.partnerId}`,
        isJoined(other),
      ),
    )}`

/** Filters for users. */
export interface TeamFilter {
  /** Whose users to return: a partner's, the installer's (null), or all. */
  owner: Owner | Everyone
  /** Text contained in the name or e-mail address; empty for no filter. */
  search: string
  /** True for users who are invited and have not joined yet, false for users who have joined. */
  isInvited: boolean
  /** The last user of the previous page. */
  behind: { email: string; id: number } | undefined
  limit: number
}

/**
 * Returns the matching users in order of e-mail address. `linkUntil` is null if the invitation link no longer
 * exists.
 */
export function readTeam(db: Database, { owner, search, isInvited, behind, limit }: TeamFilter) {
  const { partnerId: _, ...columns } = userColumns
  return db
    .select({
      ...columns,
      seenAt: users.seenAt,
      isLast: isLast(db),
      partner: { slug: partners.slug, name: partners.name },
      invitedAt: sql<Date>`coalesce(${links.createdAt}, ${users.createdAt})`.mapWith(users.createdAt),
      linkUntil: links.expiresAt,
    })
    .from(users)
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .leftJoin(
      links,
      and(eq(links.userId, users.id), eq(links.kind, 'invitation'), gt(links.expiresAt, sql`now()`)),
    )
    .where(
      and(
        isInvited ? not(hasJoined) : hasJoined,
        owner === null ? isNull(users.partnerId) : within(owner, users.partnerId),
        search === ''
          ? undefined
          : sql`strpos(lower(${users.name} || ' ' || ${users.email}), lower(${search})) > 0`,
        behind === undefined
          ? undefined
          : sql`(${users.email}, ${users.id}) > (${behind.email}, ${behind.id}::integer)`,
      ),
    )
    .orderBy(asc(users.email), asc(users.id))
    .limit(limit)
}

/** A user of the tenant that the caller may manage. */
export type UserWithin = User & { partnerId: Owner }

const columnsWithin = { ...userColumns, partnerId: sql<Owner>`${users.partnerId}` }

/** Returns the user if they belong to the tenant, or else undefined. */
export async function findWithin(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
): Promise<UserWithin | undefined> {
  const [user] = await tx
    .select(columnsWithin)
    .from(users)
    .where(and(eq(users.id, id), within(tenant, users.partnerId)))
  return user
}

/**
 * Locks and returns an invited user of the tenant. Returns undefined if there is no such user or if they have
 * joined.
 */
export async function lockInvited(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
): Promise<UserWithin | undefined> {
  const [user] = await tx
    .select(columnsWithin)
    .from(users)
    .where(and(eq(users.id, id), within(tenant, users.partnerId), not(hasJoined)))
    .for('update')
  return user
}

/** Returns how many open invitations of a partner go to other e-mail addresses. */
export async function countOtherInvitations(
  tx: Transaction,
  partnerId: PartnerId,
  email: string,
): Promise<number> {
  const open = tx
    .select({ userId: links.userId })
    .from(links)
    .where(and(eq(links.kind, 'invitation'), gt(links.expiresAt, sql`now()`)))
  return tx.$count(
    users,
    and(eq(users.partnerId, partnerId), ne(users.email, email), not(hasJoined), inArray(users.id, open)),
  )
}

/** A user locked for a role change or removal. */
export interface LockedUser extends UserWithin {
  /** True if no other user who has joined is an admin of the same partner, or an operator. */
  isLast: boolean
}

/**
 * Locks and returns a user of the tenant, or undefined if there is no such user. Serializes concurrent
 * changes to the users of a partner, or to operators.
 */
export async function lockUser(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
): Promise<LockedUser | undefined> {
  const found = await findWithin(tx, tenant, id)
  if (found === undefined) return undefined
  await lockOwner(tx, found.partnerId)
  const [user] = await tx
    .select({ ...columnsWithin, isLast: isLast(tx) })
    .from(users)
    .where(eq(users.id, id))
  return user
}

/** Changes the role of a user of the tenant. */
export async function setRole(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
  role: TeamRole,
): Promise<void> {
  await tx
    .update(users)
    .set({ role })
    .where(and(eq(users.id, id), within(tenant, users.partnerId)))
}

/**
 * Removes a user of the tenant with all sessions and links. The trigger `hand_over_views` hands shared views
 * to `removerId` if the remover is a colleague, or else to another colleague.
 */
export async function deleteUser(
  tx: Database | Transaction,
  tenant: TenantScope,
  id: number,
  removerId: number | null = null,
): Promise<void> {
  await tx.execute(
    sql`select set_config('app.remover', ${removerId === null ? '' : String(removerId)}, true)`,
  )
  await tx.delete(users).where(and(eq(users.id, id), within(tenant, users.partnerId)))
}
