import { type AnyColumn, and, asc, eq, gt, inArray, isNull, not, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { identities, links, partners, users } from '#db/schema/accounts.ts'
import type { Zone } from '../values/zone.ts'
import { endAccess } from './access-store.ts'
import type { Owner, PartnerId } from './partner.ts'
import { adminRoles } from './role.ts'
import type { SigningIn, User } from './user.ts'
import { toZone } from './zone-choice.ts'

/**
 * Returns the user who signs in with this e-mail address (in lower case) and their password hash, or
 * undefined.
 * @proof the e-mail address, which signs in one user in the whole system
 */
export async function findUser(
  db: Database | Transaction,
  email: string,
): Promise<(SigningIn & { passwordHash: string | null }) | undefined> {
  const [user] = await db
    .select({ ...signInColumns, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, email))
    .orderBy(...bySignIn)
    .limit(1)
  return user
}

/**
 * Inserts a user, or changes the user with this e-mail address and ends their sessions, links and
 * invitations.
 * @system operators
 */
export async function saveUser(
  db: Database,
  user: Omit<User, 'id'> & { passwordHash: string },
): Promise<User> {
  return db.transaction(async (tx) => {
    await tx.delete(users).where(and(eq(users.email, user.email), not(hasJoined)))
    const [former] = await tx.select({ id: users.id }).from(users).where(eq(users.email, user.email))
    if (former !== undefined) await endAccess(tx, { formerUserId: former.id })
    const [saved] = await tx
      .insert(users)
      .values(user)
      .onConflictDoUpdate({
        target: users.email,
        targetWhere: sql`password_hash is not null or seen_at is not null`,
        set: user,
      })
      .returning(userColumns)
    return saved!
  })
}

/** A new user of a partner, or of the installer's staff. */
export type NewMember = Omit<User, 'id' | 'partnerId'> & { partnerId: Owner }

/**
 * Stores an invited user, or updates an open invitation of the same partner. Returns undefined if a user with
 * this e-mail address has joined.
 */
export async function saveInvited(db: Database | Transaction, user: NewMember): Promise<User | undefined> {
  const [joined] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, user.email), hasJoined))
  if (joined !== undefined) return undefined
  const [saved] = await db
    .insert(users)
    .values({ ...user, passwordHash: null })
    .onConflictDoUpdate({
      target: [users.email, users.partnerId],
      set: { name: user.name, role: user.role },
      setWhere: not(hasJoined),
    })
    .returning(userColumns)
  return saved
}

/** Returns all users in order of e-mail address, with the slugs of their partners. @system operators */
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
    .orderBy(asc(users.email), asc(users.id))
}

/** Returns the names and e-mail addresses of a partner's admins who have joined. */
export function readAdmins(db: Database, partnerId: PartnerId): Promise<{ name: string; email: string }[]> {
  return db
    .select({ name: users.name, email: users.email })
    .from(users)
    .where(and(eq(users.partnerId, partnerId), inArray(users.role, adminRoles), hasJoined))
    .orderBy(asc(users.id))
}

/** Changes a user's name or time zone; a null zone follows the partner's. @proof the signed-in user's own id */
export async function updateUser(
  db: Transaction,
  id: number,
  change: { name: string } | { timeZone: Zone | null },
): Promise<void> {
  await db.update(users).set(change).where(eq(users.id, id))
}

/** Returns the password hash and the time zone of a user, each null if not set. @proof the signed-in user's own id */
export async function readSettings(
  db: Database,
  id: number,
): Promise<{ passwordHash: string | null; timeZone: string | null }> {
  const [user] = await db
    .select({ passwordHash: users.passwordHash, timeZone: users.timeZone })
    .from(users)
    .where(eq(users.id, id))
  return user ?? { passwordHash: null, timeZone: null }
}

/**
 * Records that a user is active, at most once a minute. A new visit begins after half an hour of inactivity;
 * the last activity before then becomes the end of the previous visit.
 * @proof the signed-in user's own id
 */
export async function recordVisit(db: Database, userId: number): Promise<void> {
  await db
    .update(users)
    .set({ seenAt: sql`now()`, lastVisitAt: lastVisit })
    .where(and(eq(users.id, userId), visitIsNews))
}

/**
 * Returns when the previous visit ended, or null on the first visit. Correct even if the current visit has
 * not been recorded yet.
 * @proof the signed-in user's own id
 */
export async function readLastVisit(db: Database, userId: number): Promise<Date | null> {
  const [user] = await db.select({ lastVisitAt: lastVisit }).from(users).where(eq(users.id, userId))
  return user?.lastVisitAt ?? null
}

/**
 * Returns the partners and time zones of all users who are new or have been active since this time.
 * @system the worker
 */
export async function listReaders(db: Database, since: Date): Promise<{ owner: Owner; zone: Zone }[]> {
  const rows = await db
    .selectDistinct({
      owner: sql<Owner>`${users.partnerId}`,
      timeZone: sql<string | null>`coalesce(${users.timeZone}, ${partners.timeZone}, ${partners.usualZone})`,
    })
    .from(users)
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(and(or(isNull(users.seenAt), gt(users.seenAt, since)), isNull(partners.suspendedAt)))
  return rows.map(({ owner, timeZone }) => ({ owner, zone: toZone(timeZone) }))
}

/** Returns true if an operator has joined. @system the start */
export async function hasOperator(db: Database): Promise<boolean> {
  const [row] = await db.select({ id: users.id }).from(users).where(eq(users.role, 'operator')).limit(1)
  return row !== undefined
}

/** All columns of a user except the password. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  partnerId: users.partnerId,
}

/** Returns the condition that a user has joined, which means having a password or having signed in. */
export const isJoined = ({ passwordHash, seenAt }: Record<'passwordHash' | 'seenAt', AnyColumn>) =>
  sql<boolean>`(${passwordHash} is not null or ${seenAt} is not null)`

export const hasJoined = isJoined(users)

/**
 * The order in which users with the same e-mail address are considered: a user who has joined, then the
 * oldest open invitation.
 */
const bySignIn = [
  sql`${hasJoined} desc`,
  sql`exists (select from ${links} where ${links.userId} = ${users.id} and ${links.kind} = 'invitation' and ${links.expiresAt} > now()) desc`,
  asc(users.id),
]

/** The columns that a sign-in requires. */
export const signInColumns = { ...userColumns, sessionsEnded: users.sessionsEnded }

/** Time when the user's previous visit ended. */
const lastVisit =
  sql<Date | null>`case when ${users.seenAt} <= now() - interval '30 minutes' then ${users.seenAt} else ${users.lastVisitAt} end`.mapWith(
    users.lastVisitAt,
  )

/** True if the user's recorded activity is more than a minute old and should be updated. */
export const visitIsNews = sql<boolean>`(${users.seenAt} is null or ${users.seenAt} <= now() - interval '1 minute')`

/**
 * A user's identity at an OpenID Connect provider. An issuer never assigns the same subject to another user
 * (OpenID Connect Core 1.0, section 2).
 */
export interface Identity {
  issuer: string
  subject: string
}

/** Returns the user with this identity, or undefined. @proof the identity, signed by the issuer */
export async function findByIdentity(
  db: Database,
  { issuer, subject }: Identity,
): Promise<SigningIn | undefined> {
  const [user] = await db
    .select(signInColumns)
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  return user
}

/**
 * Links the identity to the user with this e-mail address. Returns false if there is no such user, or if the
 * user already has another identity at the issuer, because an e-mail address may be reassigned to another
 * person.
 * @proof the identity, signed by the issuer
 */
export async function adoptIdentity(
  db: Database,
  { issuer, subject }: Identity,
  email: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [user] = await tx
      .select({ id: users.id })
      .from(users)
      .where(eq(users.email, email))
      .orderBy(...bySignIn)
      .limit(1)
      .for('update')
    if (user === undefined) return false
    const [other] = await tx
      .select({ subject: identities.subject })
      .from(identities)
      .where(and(eq(identities.issuer, issuer), eq(identities.userId, user.id)))
    if (other !== undefined) return other.subject === subject
    await tx.insert(identities).values({ issuer, subject, userId: user.id })
    return true
  })
}
