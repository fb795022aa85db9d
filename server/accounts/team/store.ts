import { and, asc, eq, gt, isNotNull, isNull, ne, not, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, users } from '#db/schema/accounts.ts'
import type { AllPartners, Owner, Reach } from '../partner.ts'
import { userColumns } from '../user-store.ts'
import type { Role, User } from '../user.ts'

const other = alias(users, 'other')

/** Returns whether a user has set a password, or come in by other means. */
const hasBeenHere = (user: typeof users | typeof other) =>
  or(isNotNull(user.passwordHash), isNotNull(user.seenAt))!

const within = (reach: Reach) => (reach === 0 ? undefined : eq(users.partnerId, reach))

/**
 * Returns whether nobody but this user, of those who have been here, looks after the partner; or is an
 * operator.
 */
const isLast = (db: Database | Transaction) =>
  sql<boolean>`${users.role} <> 'member' and ${hasBeenHere(users)} and not exists ${db
    .select({ id: other.id })
    .from(other)
    .where(
      and(
        ne(other.id, users.id),
        eq(other.role, users.role),
        sql`${other.partnerId} is not distinct from ${users.partnerId}`,
        hasBeenHere(other),
      ),
    )}`

/** Which people are asked for. */
export interface TeamFilter {
  /** Whose they are; all partners: everybody. */
  whose: Owner | AllPartners
  /** Part of a name or an address; empty: any. */
  search: string
  /** Whether they are invited and have not been here yet. */
  isInvited: boolean
  /** The address behind which the page begins. */
  behind: string | undefined
  limit: number
}

/**
 * Returns those people, by address; `linkUntil` is null when the link of the invitation is no longer there.
 */
export function readTeam(db: Database, { whose, search, isInvited, behind, limit }: TeamFilter) {
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
        isInvited ? not(hasBeenHere(users)) : hasBeenHere(users),
        whose === null ? isNull(users.partnerId) : within(whose),
        search === ''
          ? undefined
          : sql`strpos(lower(${users.name} || ' ' || ${users.email}), lower(${search})) > 0`,
        behind === undefined ? undefined : gt(users.email, behind),
      ),
    )
    .orderBy(asc(users.email))
    .limit(limit)
}

/** A user who was found within reach: its partner is within reach as well. */
export type UserWithin = User & { partnerId: Owner }

const columnsWithin = { ...userColumns, partnerId: sql<Owner>`${users.partnerId}` }

/** Returns a user within reach, or undefined. */
export async function findWithin(tx: Transaction, reach: Reach, id: number): Promise<UserWithin | undefined> {
  const [user] = await tx
    .select(columnsWithin)
    .from(users)
    .where(and(eq(users.id, id), within(reach)))
  return user
}

/** Holds and returns a user within reach who is invited and has not been here yet, or returns undefined. */
export async function holdInvited(
  tx: Transaction,
  reach: Reach,
  id: number,
): Promise<UserWithin | undefined> {
  const [user] = await tx
    .select(columnsWithin)
    .from(users)
    .where(and(eq(users.id, id), within(reach), not(hasBeenHere(users))))
    .for('update')
  return user
}

/** A user whose role may be changed, or who may be removed. */
export interface HeldUser extends UserWithin {
  /** Whether nobody else who has been here looks after the partner; or is an operator. */
  isLast: boolean
}

/**
 * Returns a user within reach, or undefined. Until the transaction ends nobody else is held who belongs to
 * the same partner, or is an operator as well: of two at once the second finds what the first has left.
 */
export async function holdUser(tx: Transaction, reach: Reach, id: number): Promise<HeldUser | undefined> {
  const found = await findWithin(tx, reach, id)
  if (found === undefined) return undefined
  // Of a partner not the key: whoever writes its events need not wait.
  await (found.partnerId === null
    ? tx
        .select({ id: users.id })
        .from(users)
        .where(eq(users.role, 'operator'))
        .orderBy(asc(users.id))
        .for('update')
    : tx
        .select({ id: partners.id })
        .from(partners)
        .where(eq(partners.id, found.partnerId))
        .for('no key update'))
  const [user] = await tx
    .select({ ...columnsWithin, isLast: isLast(tx) })
    .from(users)
    .where(eq(users.id, id))
  return user
}

/** Gives a user within reach another role. */
export async function setRole(
  tx: Transaction,
  reach: Reach,
  id: number,
  role: Exclude<Role, 'operator'>,
): Promise<void> {
  await tx
    .update(users)
    .set({ role })
    .where(and(eq(users.id, id), within(reach)))
}

/** Removes a user within reach, whose sessions and links end with it. */
export async function removeUser(tx: Database | Transaction, reach: Reach, id: number): Promise<void> {
  await tx.delete(users).where(and(eq(users.id, id), within(reach)))
}
