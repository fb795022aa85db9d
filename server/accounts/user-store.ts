import { and, asc, desc, eq, gt, isNotNull, isNull, like, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, sessions, users } from '#db/schema/accounts.ts'
import type { Owner, PartnerId } from './partner.ts'
import type { User } from './user.ts'

/** What there is to know of a user, without the password. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  partnerId: users.partnerId,
}

const lastVisit =
  sql<Date | null>`case when ${users.seenAt} <= now() - interval '30 minutes' then ${users.seenAt} else ${users.lastVisitAt} end`.mapWith(
    users.lastVisitAt,
  )
const visitIsNews = sql<boolean>`(${users.seenAt} is null or ${users.seenAt} <= now() - interval '1 minute')`

/**
 * Returns the user with this address (in lower case) and the hash of the password, or undefined.
 * @proof the e-mail address, which is one user in the whole system
 */
export async function findUser(
  db: Database | Transaction,
  email: string,
): Promise<(User & { passwordHash: string | null }) | undefined> {
  const [user] = await db
    .select({ ...userColumns, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
  return user
}

/** Keeps a new user, or changes the one who has this address and ends its sessions and links. @system operators */
export async function saveUser(
  db: Database,
  user: Omit<User, 'id'> & { passwordHash: string },
): Promise<User> {
  return db.transaction(async (tx) => {
    const [saved] = await tx
      .insert(users)
      .values(user)
      .onConflictDoUpdate({ target: users.email, set: user })
      .returning(userColumns)
    await endSessions(tx, saved!.id)
    return saved!
  })
}

/** Somebody who is to belong to a partner, or to the installer's own staff. */
export type NewMember = Omit<User, 'id' | 'partnerId'> & { partnerId: Owner }

/**
 * Keeps a user who is invited and has no password yet. One with this address who has not been here is changed to what is given;
 * undefined when there is another user with this address.
 */
export async function saveInvited(db: Database | Transaction, user: NewMember): Promise<User | undefined> {
  const [saved] = await db
    .insert(users)
    .values({ ...user, passwordHash: null })
    .onConflictDoUpdate({
      target: users.email,
      set: { name: user.name, role: user.role },
      setWhere: and(
        isNull(users.passwordHash),
        isNull(users.seenAt),
        sql`${users.partnerId} is not distinct from ${user.partnerId}`,
      ),
    })
    .returning(userColumns)
  return saved
}

/** Returns all users by address, with the slug of their partner. @system operators */
export function listUsers(db: Database) {
  const { partnerId: _, ...columns } = userColumns
  return db
    .select({
      ...columns,
      partner: partners.slug,
      hasPassword: sql<boolean>`${users.passwordHash} is not null`,
      seenAt: users.seenAt,
    })
    .from(users)
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .orderBy(asc(users.email))
}

/** Returns the addresses of a partner's admins who have been here. */
export async function readAdminEmails(db: Database, partnerId: PartnerId): Promise<string[]> {
  const admins = await db
    .select({ email: users.email })
    .from(users)
    .where(
      and(
        eq(users.partnerId, partnerId),
        eq(users.role, 'admin'),
        or(isNotNull(users.passwordHash), isNotNull(users.seenAt)),
      ),
    )
    .orderBy(asc(users.id))
  return admins.map(({ email }) => email)
}

/** Calls a user by another name. @proof the signed-in user's own id */
export async function renameUser(db: Database | Transaction, id: number, name: string): Promise<void> {
  await db.update(users).set({ name }).where(eq(users.id, id))
}

/** Returns the hash of a user's password; null without one. @proof the signed-in user's own id */
export async function readPasswordHash(db: Database, id: number): Promise<string | null> {
  const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, id))
  return user?.passwordHash ?? null
}

/**
 * Notes that a user is here now, at most once a minute. After half an hour without a sign of the user a new visit begins,
 * and what was seen last is when the one before it ended.
 * @proof the signed-in user's own id
 */
export async function noteVisit(db: Database, userId: number): Promise<void> {
  await db
    .update(users)
    .set({ seenAt: sql`now()`, lastVisitAt: lastVisit })
    .where(and(eq(users.id, userId), visitIsNews))
}

/**
 * Returns when the visit before the present one ended, also when the present one is not noted yet; null on
 * the first.
 * @proof the signed-in user's own id
 */
export async function readLastVisit(db: Database, userId: number): Promise<Date | null> {
  const [user] = await db.select({ lastVisitAt: lastVisit }).from(users).where(eq(users.id, userId))
  return user?.lastVisitAt ?? null
}

/**
 * Stores a session until `expiresAt`, and removes expired ones. Every sign-in ends here, whatever it was by, and with the first
 * the user's invitations end: whoever saw such a link could set a password by it.
 * @proof the user, who has just signed in
 */
export async function insertSession(
  db: Database,
  session: { hash: string; userId: number; expiresAt: Date; userAgent?: string },
): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.transaction(async (tx) => {
    // Holds a user who was not here before, whom somebody may be inviting again at the moment.
    await tx
      .update(users)
      .set({ seenAt: sql`now()` })
      .where(and(eq(users.id, session.userId), isNull(users.passwordHash), isNull(users.seenAt)))
    await tx.delete(links).where(and(eq(links.userId, session.userId), eq(links.kind, 'invitation')))
    await tx.insert(sessions).values(session)
  })
}

/** A partner as the frame of the portal names it. */
export interface PartnerName {
  id: number
  slug: string
  name: string
}

/** A browser in which someone is signed in, and until when. */
export interface Session {
  hash: string
  user: User
  /** The partner that the user belongs to; null for operators. */
  partner: PartnerName | null
  expiresAt: Date
  /** Whether the user was last noted to be here more than a minute ago. */
  visitIsNews: boolean
}

/**
 * Returns the session with this hash unless it has expired or its partner is suspended, or undefined.
 * @proof the session's hash
 */
export async function findSession(db: Database, hash: string): Promise<Session | undefined> {
  const [session] = await db
    .select({
      hash: sessions.hash,
      user: userColumns,
      expiresAt: sessions.expiresAt,
      visitIsNews,
      partner: { id: partners.id, slug: partners.slug, name: partners.name },
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, sql`now()`), isNull(partners.suspendedAt)))
  return session
}

/** Ends a session. @proof the session's hash */
export async function deleteSession(db: Database, hash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.hash, hash))
}

const idLength = 16

/**
 * Returns the sessions of a user, the newest first; `id` names one to its user and lets nobody in.
 * @proof the signed-in user's own id
 */
export function readSessions(db: Database, userId: number) {
  return db
    .select({
      id: sql<string>`left(${sessions.hash}, ${idLength})`,
      hash: sessions.hash,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.createdAt))
}

/**
 * Ends the session of a user with this id (16 hexadecimal digits); gives what its browser calls itself, undefined when the user has none.
 * @proof the signed-in user's own id
 */
export async function endSession(
  db: Database | Transaction,
  userId: number,
  id: string,
): Promise<string | undefined> {
  const [ended] = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), like(sessions.hash, `${id}%`)))
    .returning({ userAgent: sessions.userAgent })
  return ended?.userAgent
}

/** Ends all sessions of a user, and the links that let somebody in as that user. @proof the signed-in user's own id */
export async function endSessions(db: Transaction, userId: number): Promise<void> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
  await db.delete(links).where(eq(links.userId, userId))
  await db.delete(sessions).where(eq(sessions.userId, userId))
}
