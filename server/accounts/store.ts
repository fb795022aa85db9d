import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'

export type Partner = typeof partners.$inferSelect

/** All partners by slug; for the operator. */
export function listPartners(db: Database): Promise<Partner[]> {
  return db.select().from(partners).orderBy(asc(partners.slug))
}

/** The partner with this slug, or undefined. */
export async function findPartner(db: Database, slug: string): Promise<Partner | undefined> {
  const [partner] = await db.select().from(partners).where(eq(partners.slug, slug))
  return partner
}

/** The partner with this id, which is that of one. */
export async function readPartner(db: Database | Transaction, id: number): Promise<Partner> {
  const [partner] = await db.select().from(partners).where(eq(partners.id, id))
  return partner!
}

/** The user, unless nobody of the partner gets in at the moment. */
export async function refuseSuspended<Of extends { partnerId: number | null }>(db: Database, user: Of): Promise<Of | 'suspended'> {
  if (user.partnerId === null) return user
  const [suspended] = await db.select({ id: partners.id }).from(partners).where(and(eq(partners.id, user.partnerId), isNotNull(partners.suspendedAt)))
  return suspended === undefined ? user : 'suspended'
}

/** The new partner, or undefined when the slug is taken. */
export async function createPartner(db: Database | Transaction, slug: string, name: string): Promise<Partner | undefined> {
  const [partner] = await db.insert(partners).values({ slug, name }).onConflictDoNothing().returning()
  return partner
}
