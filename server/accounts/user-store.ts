import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, like, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, sessions, users } from '#db/schema/accounts.ts'
import type { Zone } from '../protocol/zone.ts'
import type { Owner, PartnerId, Reach } from './partner.ts'
import { adminRoles } from './role.ts'
import type { SigningIn, User } from './user.ts'
import { toZone } from './zone-choice.ts'

/** All columns of a user but the password. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  partnerId: users.partnerId,
}

/** What a sign-in needs to know of its user. */
export const signInColumns = { ...userColumns, sessionsEnded: users.sessionsEnded }

/** One more end of all sessions: a sign-in that has begun is refused. */
export const oneMoreEnd = sql`${users.sessionsEnded} + 1`

const lastVisit =
  sql<Date | null>`case when ${users.seenAt} <= now() - interval '30 minutes' then ${users.seenAt} else ${users.lastVisitAt} end`.mapWith(
    users.lastVisitAt,
  )
const visitIsNews = sql<boolean>`(${users.seenAt} is null or ${users.seenAt} <= now() - interval '1 minute')`

/**
 * Returns the user with this e-mail address (in lower case) and the hash of the password, or undefined.
 * @proof the e-mail address, which is one user in the whole system
 */
export async function findUser(
  db: Database | Transaction,
  email: string,
): Promise<(SigningIn & { passwordHash: string | null }) | undefined> {
  const [user] = await db
    .select({ ...signInColumns, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
  return user
}

/**
 * Inserts a user, or changes the one with this e-mail address and ends its sessions and links.
 * @system operators
 */
export async function saveUser(
  db: Database,
  user: Omit<User, 'id'> & { passwordHash: string },
): Promise<User> {
  return db.transaction(async (tx) => {
    const [saved] = await tx
      .insert(users)
      .values(user)
      .onConflictDoUpdate({ target: users.email, set: { ...user, sessionsEnded: oneMoreEnd } })
      .returning(userColumns)
    await deleteSessions(tx, saved!.id)
    return saved!
  })
}

/** A new user of a partner or of the installer's own staff. */
export type NewMember = Omit<User, 'id' | 'partnerId'> & { partnerId: Owner }

/**
 * Stores an invited user without a password. A user with this e-mail address who has not joined is changed to
 * what is given; returns undefined when the e-mail address belongs to another user.
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

/** Returns all users by e-mail address, with the slug of their partner. @system operators */
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

/** Returns the e-mail addresses of a partner's admins who have joined. */
export async function readAdminEmails(db: Database, partnerId: PartnerId): Promise<string[]> {
  const admins = await db
    .select({ email: users.email })
    .from(users)
    .where(
      and(
        eq(users.partnerId, partnerId),
        inArray(users.role, adminRoles),
        or(isNotNull(users.passwordHash), isNotNull(users.seenAt)),
      ),
    )
    .orderBy(asc(users.id))
  return admins.map(({ email }) => email)
}

/** Renames a user. @proof the signed-in user's own id */
export async function renameUser(db: Database | Transaction, id: number, name: string): Promise<void> {
  await db.update(users).set({ name }).where(eq(users.id, id))
}

/** Returns the hash of a user's password; null without one. @proof the signed-in user's own id */
export async function readPasswordHash(db: Database, id: number): Promise<string | null> {
  const [user] = await db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, id))
  return user?.passwordHash ?? null
}

/**
 * Records that a user is active, at most once a minute. After half an hour of inactivity a new visit begins,
 * and the last activity becomes the end of the previous one.
 * @proof the signed-in user's own id
 */
export async function noteVisit(db: Database, userId: number): Promise<void> {
  await db
    .update(users)
    .set({ seenAt: sql`now()`, lastVisitAt: lastVisit })
    .where(and(eq(users.id, userId), visitIsNews))
}

/**
 * Returns when the visit before the current one ended, even if the current one is not recorded yet; null on
 * the first visit.
 * @proof the signed-in user's own id
 */
export async function readLastVisit(db: Database, userId: number): Promise<Date | null> {
  const [user] = await db.select({ lastVisitAt: lastVisit }).from(users).where(eq(users.id, userId))
  return user?.lastVisitAt ?? null
}

/**
 * Inserts a session, and removes those that have expired. Returns false when all sessions of the user were ended since the
 * sign-in began, as by a new password. The user's first one ends the user's invitations: anybody who saw such a link could
 * set a password with it.
 * @proof the user, who has just signed in
 */
export async function insertSession(
  db: Database,
  { sessionsEnded, ...session }: NewSession,
): Promise<boolean> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  return db.transaction(async (tx) => {
    // Locks the user, whose sessions somebody may be ending, or whom an admin may be inviting again, right now.
    const [user] = await tx
      .select({ passwordHash: users.passwordHash, seenAt: users.seenAt })
      .from(users)
      .where(and(eq(users.id, session.userId), eq(users.sessionsEnded, sessionsEnded)))
      .for('update')
    if (user === undefined) return false
    if (user.passwordHash === null && user.seenAt === null)
      await tx
        .update(users)
        .set({ seenAt: sql`now()` })
        .where(eq(users.id, session.userId))
    await tx.delete(links).where(and(eq(links.userId, session.userId), eq(links.kind, 'invitation')))
    await tx.insert(sessions).values(session)
    return true
  })
}

/** A session of somebody who signs in. */
export interface NewSession {
  hash: string
  userId: number
  /** How often all sessions of the user had been ended when the sign-in began. */
  sessionsEnded: number
  expiresAt: Date
  userAgent?: string
}

/** A partner as the portal's header shows it. */
export interface PartnerName {
  id: number
  slug: string
  name: string
}

/** A signed-in browser, and until when. */
export interface Session {
  hash: string
  user: User
  /** The user's partner; null for operators. */
  partner: PartnerName | null
  expiresAt: Date
  /** The time zone of the user: their own choice, else their partner's; UTC for an operator who chose none. */
  zone: Zone
  /** Whether the user's last recorded activity is more than a minute old. */
  visitIsNews: boolean
}

/**
 * Returns the session with this hash, or undefined when it has expired or its partner is suspended.
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
      timeZone: sql<string | null>`coalesce(${users.timeZone}, ${partners.timeZone}, ${partners.usualZone})`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, sql`now()`), isNull(partners.suspendedAt)))
  if (session === undefined) return undefined
  const { timeZone, ...known } = session
  return { ...known, zone: toZone(timeZone) }
}

/** The user of a session. */
interface SessionOwner {
  role: User['role']
  partnerId: number | null
}

/**
 * Returns the users of the sessions with these hashes, by hash; one that has ended, or whose partner is suspended, is missing.
 * @proof the hashes of the sessions
 */
export async function findSessionOwners(db: Database, hashes: string[]): Promise<Map<string, SessionOwner>> {
  const owners = await db
    .select({ hash: sessions.hash, role: users.role, partnerId: users.partnerId })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(
      and(
        sql`${sessions.hash} = any(${sql.param(hashes)}::text[])`,
        gt(sessions.expiresAt, sql`now()`),
        isNull(partners.suspendedAt),
      ),
    )
  return new Map(owners.map(({ hash, ...owner }) => [hash, owner]))
}

/** Stores the time zone that a user chose, null for the partner's. @proof the signed-in user's own id */
export async function setUserZone(db: Transaction, id: number, zone: Zone | null): Promise<void> {
  await db.update(users).set({ timeZone: zone }).where(eq(users.id, id))
}

/** Returns the time zone that a user chose, or null. @proof the signed-in user's own id */
export async function readUserZone(db: Database, id: number): Promise<string | null> {
  const [user] = await db.select({ timeZone: users.timeZone }).from(users).where(eq(users.id, id))
  return user?.timeZone ?? null
}

/** Ends a session. @proof the session's hash */
export async function deleteSession(db: Database, hash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.hash, hash))
}

const idLength = 16

/**
 * Returns the sessions of a user, newest first; `id` identifies one to its user and does not authenticate.
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
 * Ends the session with this id (16 hexadecimal digits) of a user. Returns its browser's `User-Agent`, or
 * undefined when there is no such session.
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

/** Ends all sessions of a user, and the links that sign the user in. @proof the signed-in user's own id */
export async function endSessions(db: Transaction, userId: number): Promise<void> {
  await db.update(users).set({ sessionsEnded: oneMoreEnd }).where(eq(users.id, userId))
  await deleteSessions(db, userId)
}

async function deleteSessions(tx: Transaction, userId: number): Promise<void> {
  await tx.delete(links).where(eq(links.userId, userId))
  await tx.delete(sessions).where(eq(sessions.userId, userId))
}

/** Returns which deals users see and by the days of which time zone: users who are new, or were here since. @system the worker */
export async function listReaders(db: Database, since: Date): Promise<{ reach: Reach; zone: Zone }[]> {
  const rows = await db
    .selectDistinct({
      reach: sql<Reach>`coalesce(${users.partnerId}, 0)`,
      timeZone: sql<string | null>`coalesce(${users.timeZone}, ${partners.timeZone}, ${partners.usualZone})`,
    })
    .from(users)
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(and(or(isNull(users.seenAt), gt(users.seenAt, since)), isNull(partners.suspendedAt)))
  return rows.map(({ reach, timeZone }) => ({ reach, zone: toZone(timeZone) }))
}
