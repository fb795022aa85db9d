import { and, eq, gt, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { links, partners, users } from '#db/schema/accounts.ts'
import { endAccess } from './access-store.ts'
import type { PartnerId } from './partner.ts'
import type { LinkKind } from './policy.ts'
import { lockUnlessOtherJoined } from './session-store.ts'
import { signInColumns } from './user-store.ts'
import type { SigningIn, User } from './user.ts'

// Every change to a user's links or sessions locks the user first, so that changes never run concurrently.

const usable = (hash: string) => and(eq(links.hash, hash), gt(links.expiresAt, sql`now()`))

/**
 * Stores a link. Deletes the user's expired links and older links of the same kind; a publicly requested link
 * replaces only other requested links.
 * @proof the user, found by the caller in the tenant or by e-mail address
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

/** A link that can still be used, and the user it belongs to. */
export interface OpenLink {
  kind: LinkKind
  email: string
  name: string
  partnerId: number | null
  partnerName: string | null
}

/**
 * Returns the link with this hash, or undefined if the link is used, expired or unknown.
 * @proof the link's hash
 */
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
 * Returns the partner that issued the expired invitation with this hash, or undefined if there is no such
 * invitation.
 * @proof the link's hash
 */
export async function findExpiredInvitation(
  db: Database,
  hash: string,
): Promise<{ partnerId: PartnerId; partnerName: string } | undefined> {
  const [link] = await db
    .select({ partnerId: sql<PartnerId>`${partners.id}`, partnerName: partners.name })
    .from(links)
    .innerJoin(users, eq(users.id, links.userId))
    .innerJoin(partners, eq(partners.id, users.partnerId))
    .where(and(eq(links.hash, hash), eq(links.kind, 'invitation'), lte(links.expiresAt, sql`now()`)))
  return link
}

/**
 * Uses up a sign-in link. Returns the user, or undefined if the link is used or expired.
 * @proof the link's hash
 */
export function useSignInLink(db: Database, hash: string): Promise<SigningIn | undefined> {
  return withUserOf(db, hash, async (tx, { userId }) => {
    const [used] = await tx
      .delete(links)
      .where(and(usable(hash), eq(links.kind, 'sign-in')))
      .returning({ hash: links.hash })
    return used === undefined ? undefined : findById(tx, userId)
  })
}

/**
 * Sets a password through an invitation or reset link, and renames the user if `name` is given. Uses up all
 * links of the user, ends all sessions, and runs `done` in the same transaction. Returns the user, or
 * undefined if the link is used or expired.
 * @proof the link's hash
 */
export function setPasswordByLink(
  db: Database,
  hash: string,
  { name, passwordHash }: { name: string | undefined; passwordHash: string },
  done: (tx: Transaction, user: User) => Promise<void>,
): Promise<SigningIn | undefined> {
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
    await endAccess(tx, { userId })
    const user = await findById(tx, userId)
    await done(tx, user!)
    return user
  })
}

/**
 * Replaces a user's password. Returns false if `from` is not the hash of the current password. Uses up all
 * links and ends all sessions except `keep`.
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
    await endAccess(tx, { userId, keptSessionHash: keep })
    return true
  })
}

/** Locks the link's user and runs the work, unless another user with the same e-mail address has joined. */
function withUserOf<T>(
  db: Database,
  hash: string,
  work: (tx: Transaction, link: { userId: number }) => Promise<T | undefined>,
): Promise<T | undefined> {
  return db.transaction(async (tx) => {
    const [found] = await tx.select({ userId: links.userId }).from(links).where(usable(hash))
    const isFree = found !== undefined && (await lockUnlessOtherJoined(tx, found.userId)) !== undefined
    return isFree ? work(tx, found) : undefined
  })
}

async function findById(tx: Transaction, id: number): Promise<SigningIn | undefined> {
  const [user] = await tx.select(signInColumns).from(users).where(eq(users.id, id))
  return user
}
