import { and, asc, desc, eq, gt, isNull, like, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, sessions, users } from '#db/schema/accounts.ts'
import type { Zone } from '../values/zone.ts'
import { endAccess } from './access-store.ts'
import { hasJoined, userColumns, visitIsNews } from './user-column-store.ts'
import type { User } from './user.ts'
import { toZone } from './zone-choice.ts'

/**
 * Inserts a session and removes expired ones. Returns false if all sessions of the user were ended since the
 * sign-in began. The first session revokes the user's invitations, which could still set a password.
 * @proof the user, who has just signed in
 */
export async function insertSession(
  db: Database,
  { sessionsEnded, ...session }: NewSession,
): Promise<boolean> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  return db.transaction(async (tx) => {
    // Locks the user against concurrent changes of sessions or invitations.
    const user = await lockUnlessOtherJoined(tx, session.userId)
    if (user === undefined || user.sessionsEnded !== sessionsEnded) return false
    if (!user.hasJoined)
      await tx
        .update(users)
        .set({ seenAt: sql`now()` })
        .where(eq(users.id, session.userId))
    await tx.delete(links).where(and(eq(links.userId, session.userId), eq(links.kind, 'invitation')))
    await tx.insert(sessions).values(session)
    return true
  })
}

/**
 * Locks all users with the e-mail address, so only one of several invited users joins. Returns undefined if
 * another one has joined or the user is gone.
 * @proof the user of the link or sign-in
 */
export async function lockUnlessOtherJoined(tx: Transaction, userId: number) {
  const locked = await tx
    .select({ id: users.id, sessionsEnded: users.sessionsEnded, hasJoined })
    .from(users)
    .where(sql`${users.email} = (select email from users named where named.id = ${userId})`)
    .orderBy(asc(users.id))
    .for('update')
  const isFree = locked.every(({ id, hasJoined }) => id === userId || !hasJoined)
  return isFree ? locked.find(({ id }) => id === userId) : undefined
}

/** A session to create. */
export interface NewSession {
  hash: string
  userId: number
  /** The user's session counter when the sign-in began. */
  sessionsEnded: number
  expiresAt: Date
  userAgent?: string
}

/** A partner as shown in the portal's header. */
export interface PartnerName {
  id: number
  slug: string
  name: string
}

/** A browser session and its expiry. */
export interface Session {
  hash: string
  user: User
  /** The user's partner; null for operators. */
  partner: PartnerName | null
  expiresAt: Date
  /**
   * The user's time zone: their own choice, or else their partner's; UTC for operators who have not chosen
   * one.
   */
  zone: Zone
  /** Whether the user's last recorded activity is more than a minute old. */
  visitIsNews: boolean
}

/** Returns the condition that a session has one of these hashes, has not expired, and its partner is not suspended. */
const isLiveAmong = (hashes: string[]) =>
  and(
    sql`${sessions.hash} = any(${sql.param(hashes)}::text[])`,
    gt(sessions.expiresAt, sql`now()`),
    isNull(partners.suspendedAt),
  )

/**
 * Returns the session with this hash, or undefined if it has expired or its partner is suspended.
 * @proof the session's hash
 */
export async function findSession(db: Database, hash: string): Promise<Session | undefined> {
  return (await findSessions(db, [hash])).get(hash)
}

/**
 * Returns the sessions with these hashes, by hash; without expired sessions and suspended partners.
 * @proof the hashes of the sessions
 */
export async function findSessions(db: Database, hashes: string[]): Promise<Map<string, Session>> {
  const found = await db
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
    .where(isLiveAmong(hashes))
  return new Map(
    found.map(({ timeZone, ...session }) => [session.hash, { ...session, zone: toZone(timeZone) }]),
  )
}

/** The user of a session. */
interface SessionOwner {
  role: User['role']
  partnerId: number | null
}

/**
 * Returns the users of the sessions with these hashes, by hash, without ended sessions and suspended
 * partners.
 * @proof the hashes of the sessions
 */
export async function findSessionOwners(db: Database, hashes: string[]): Promise<Map<string, SessionOwner>> {
  const owners = await db
    .select({ hash: sessions.hash, role: users.role, partnerId: users.partnerId })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(isLiveAmong(hashes))
  return new Map(owners.map(({ hash, ...owner }) => [hash, owner]))
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
 * undefined if there is no such session.
 * @proof the signed-in user's own id
 */
export async function endSession(
  db: Database | Transaction,
  userId: number,
  id: string,
): Promise<string | undefined> {
  const [ended] = await db
    .select({ hash: sessions.hash, userAgent: sessions.userAgent })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), like(sessions.hash, `${id}%`)))
    .for('update')
  if (ended !== undefined) await endAccess(db, { sessionHash: ended.hash })
  return ended?.userAgent
}
