import { eq, gt, lt, sql, and } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database } from '#db/client.ts'
import { partners, sessions, signInTries, users } from '#db/schema/accounts.ts'
import type { User } from './user.ts'

const chosen = alias(partners, 'chosen')

const userColumns = { id: users.id, email: users.email, name: users.name, role: users.role, partnerId: users.partnerId }

/** The user with this address (in lower case) and the hash of the password, or undefined. */
export async function findUser(db: Database, email: string): Promise<(User & { passwordHash: string | null }) | undefined> {
  const [user] = await db.select({ ...userColumns, passwordHash: users.passwordHash }).from(users).where(eq(users.email, email))
  return user
}

/** Keeps a new user, or changes the one who has this address and ends its sessions. */
export async function saveUser(db: Database, user: Omit<User, 'id'> & { passwordHash: string }): Promise<User> {
  return db.transaction(async (tx) => {
    const [saved] = await tx.insert(users).values(user)
      .onConflictDoUpdate({ target: users.email, set: user }).returning(userColumns)
    await tx.delete(sessions).where(eq(sessions.userId, saved!.id))
    return saved!
  })
}

/** Keeps a new session until `expiresAt`, and forgets those that have expired. */
export async function insertSession(db: Database, session: { hash: string; userId: number; expiresAt: Date }): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.insert(sessions).values(session)
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
  /** The partner whose portal an operator looks at in this browser; null: all partners. */
  chosenPartner: PartnerName | null
  expiresAt: Date
}

/** The session with this hash unless it has expired, or undefined. */
export async function findSession(db: Database, hash: string): Promise<Session | undefined> {
  const [session] = await db.select({
    hash: sessions.hash, user: userColumns, expiresAt: sessions.expiresAt,
    partner: { id: partners.id, slug: partners.slug, name: partners.name },
    chosenPartner: { id: chosen.id, slug: chosen.slug, name: chosen.name },
  })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .leftJoin(chosen, eq(chosen.id, sessions.chosenPartnerId))
    .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, sql`now()`)))
  return session
}

/** Ends a session. */
export async function deleteSession(db: Database, hash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.hash, hash))
}

/** Counts a try to sign in with an address. How many there are with this one in the quarter of an hour since the first. */
export async function countTry(db: Database, addressHash: string): Promise<number> {
  await db.delete(signInTries).where(lt(signInTries.since, sql`now() - interval '15 minutes'`))
  const [entry] = await db.insert(signInTries).values({ addressHash })
    .onConflictDoUpdate({ target: signInTries.addressHash, set: { tries: sql`${signInTries.tries} + 1` } })
    .returning({ tries: signInTries.tries })
  return entry!.tries
}

/** Forgets the tries with an address. */
export async function forgetTries(db: Database, addressHash: string): Promise<void> {
  await db.delete(signInTries).where(eq(signInTries.addressHash, addressHash))
}
