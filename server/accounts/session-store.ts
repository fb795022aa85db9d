import { and, asc, desc, eq, gt, isNull, like, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, sessions, users } from '#db/schema/accounts.ts'
import type { Zone } from '../values/zone.ts'
import { endAccess } from './access-store.ts'
import { hasJoined, userColumns, visitIsNews } from './user-store.ts'
import type { User } from './user.ts'
import { toZone } from './zone-choice.ts'

/**
 * Inserts a session and deletes expired sessions. Returns false if all sessions of the user were ended after
 * the sign-in began. A user's first session revokes the user's invitations, which could otherwise still set a
 * password.
 * @proof the user, who has just signed in
 */
export async function insertSession(
  db: Database,
  { sessionsEnded, ...session }: NewSession,
): Promise<boolean> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  return db.transaction(async (tx) => {
    // Locks the user, so that sessions and invitations do not change concurrently.
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
 * Locks all users with this e-mail address, so that only one of several invited users can join. Returns
 * undefined if another user has joined or if this user no longer exists.
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

export interface NewSession {
  hash: string
  userId: number
  /** The value of the user's session counter when the sign-in began. */
  sessionsEnded: number
  expiresAt: Date
  userAgent?: string
}

/** The partner's name and slug, as shown in the portal's header. */
export interface PartnerName {
  id: number
  slug: string
  name: string
}

export interface Session {
  hash: string
  user: User
  /** The user's partner; null for operators. */
  partner: PartnerName | null
  expiresAt: Date
  /**
   * The user's own time zone if chosen, or else the partner's time zone. UTC for operators who have not
   * chosen a time zone.
   */
  zone: Zone
  /** True if the user's recorded activity is more than a minute old and should be updated. */
  visitIsNews: boolean
}

/**
 * Returns the session with this hash, or undefined if the session has expired or its partner is suspended.
 * @proof the session's hash
 */
export async function findSession(db: Database, hash: string): Promise<Session | undefined> {
  return (await findSessions(db, [hash])).get(hash)
}

/**
 * Returns the sessions with these hashes, by hash. Excludes expired sessions and suspended partners.
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
    .where(
      and(
        sql`${sessions.hash} = any(${sql.param(hashes)}::text[])`,
        gt(sessions.expiresAt, sql`now()`),
        isNull(partners.suspendedAt),
      ),
    )
  return new Map(
    found.map(({ timeZone, ...session }) => [session.hash, { ...session, zone: toZone(timeZone) }]),
  )
}

const idLength = 16

/**
 * Returns a user's sessions, newest first. The `id` tells the user's sessions apart and cannot be used to
 * authenticate.
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
 * Ends the session of a user with this ID (16 hexadecimal digits). Returns the browser's `User-Agent`, or
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
