import { and, eq, gt, lt, ne, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, sessions, users } from '#db/schema/accounts.ts'
import { userColumns } from '../user-store.ts'
import type { User } from '../user.ts'
import type { LinkKind } from './link.ts'

// Whoever changes a user's links or sessions holds the user first: two at once go one after the other.

const usable = (hash: string) => and(eq(links.hash, hash), gt(links.expiresAt, sql`now()`))

/**
 * Stores a link in place of older ones of its kind, and removes expired ones. One that was requested replaces requested ones alone.
 * @proof the user, whom the caller has found within reach or by address
 */
export async function insertLink(
  db: Database | Transaction,
  link: { hash: string; userId: number; kind: LinkKind; expiresAt: Date; isRequested: boolean },
): Promise<void> {
  const replaced = and(eq(links.kind, link.kind), link.isRequested ? eq(links.isRequested, true) : undefined)
  await db.transaction(async (tx) => {
    await tx.select({ id: users.id }).from(users).where(eq(users.id, link.userId)).for('update')
    await tx
      .delete(links)
      .where(and(eq(links.userId, link.userId), or(replaced, lt(links.expiresAt, sql`now()`))))
    await tx.insert(links).values(link)
  })
}

/** Whom a link lets in, and what for. */
export interface OpenLink {
  kind: LinkKind
  email: string
  name: string
  partnerId: number | null
  partnerName: string | null
}

/** Returns the link with this hash unless it is used or has expired, or undefined. @proof the link's hash */
export async function findLink(db: Database, hash: string): Promise<OpenLink | undefined> {
  const [link] = await db
    .select({
      kind: links.kind,
      email: users.email,
      name: users.name,
      partnerId: users.partnerId,
      partnerName: partners.name,
    })
    .from(links)
    .innerJoin(users, eq(users.id, links.userId))
    .leftJoin(partners, eq(partners.id, users.partnerId))
    .where(usable(hash))
  return link
}

/**
 * Uses a link to sign in up; whom it lets in, or undefined when it is used or has expired.
 * @proof the link's hash
 */
export function useSignInLink(db: Database, hash: string): Promise<User | undefined> {
  return withUserOf(db, hash, async (tx, { userId }) => {
    const [used] = await tx
      .delete(links)
      .where(and(usable(hash), eq(links.kind, 'sign-in')))
      .returning({ hash: links.hash })
    return used === undefined ? undefined : findById(tx, userId)
  })
}

/**
 * Sets a password by a link that is for that; `name`, when given, is what the user is called from now on.
 * All links of the user are used up, and all sessions end; `done` runs in the same transaction.
 * Returns the user, or undefined when the link is used or has expired.
 * @proof the link's hash
 */
export function setPasswordByLink(
  db: Database,
  hash: string,
  { name, passwordHash }: { name: string | undefined; passwordHash: string },
  done: (tx: Transaction, user: User) => Promise<void>,
): Promise<User | undefined> {
  return withUserOf(db, hash, async (tx, { userId }) => {
    const [used] = await tx
      .delete(links)
      .where(and(usable(hash), ne(links.kind, 'sign-in')))
      .returning({ hash: links.hash })
    if (used === undefined) return undefined
    await tx
      .update(users)
      .set({ passwordHash, ...(name === undefined ? {} : { name }) })
      .where(eq(users.id, userId))
    await tx.delete(links).where(eq(links.userId, userId))
    await tx.delete(sessions).where(eq(sessions.userId, userId))
    const user = await findById(tx, userId)
    await done(tx, user!)
    return user
  })
}

/**
 * Sets a password in place of the one with the hash `from`; false when that is not the user's. Links are used up, and sessions other than `keep` end.
 * @proof the password
 */
export function replacePassword(
  db: Database | Transaction,
  { userId, from, to, keep }: { userId: number; from: string; to: string; keep: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const changed = await tx
      .update(users)
      .set({ passwordHash: to })
      .where(and(eq(users.id, userId), eq(users.passwordHash, from)))
      .returning({ id: users.id })
    if (changed.length === 0) return false
    await tx.delete(links).where(eq(links.userId, userId))
    await tx.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.hash, keep)))
    return true
  })
}

/** Does the work while it holds the user whom the link lets in. */
function withUserOf<T>(
  db: Database,
  hash: string,
  work: (tx: Transaction, held: { userId: number }) => Promise<T | undefined>,
): Promise<T | undefined> {
  return db.transaction(async (tx) => {
    const [held] = await tx
      .select({ userId: users.id })
      .from(users)
      .innerJoin(links, eq(links.userId, users.id))
      .where(usable(hash))
      .for('update', { of: users })
    return held === undefined ? undefined : work(tx, held)
  })
}

async function findById(tx: Transaction, id: number): Promise<User | undefined> {
  const [user] = await tx.select(userColumns).from(users).where(eq(users.id, id))
  return user
}
