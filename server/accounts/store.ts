import { type AnyColumn, type SQL, and, asc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm'
import type { Fragment, ISql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import type { Zone } from '../values/zone.ts'
import { type PartnerId, type TenantScope, isEveryone } from './partner.ts'
import { toZone } from './zone-choice.ts'

/** A partner, for code that works on all partners and may act on behalf of each. */
export type Partner = Omit<typeof partners.$inferSelect, 'id'> & { id: PartnerId }

const columns = { ...getTableColumns(partners), id: sql<PartnerId>`${partners.id}` }

/** Returns all partners in order of slug. @system operators */
export function listPartners(db: Database): Promise<Partner[]> {
  return db.select(columns).from(partners).orderBy(asc(partners.slug))
}

/** Returns the partner with this slug, or undefined. @system operators */
export async function findPartner(db: Database, slug: string): Promise<Partner | undefined> {
  const [partner] = await db.select(columns).from(partners).where(eq(partners.slug, slug))
  return partner
}

/** Returns the partner with this ID, which must exist. */
export async function readPartner(db: Database | Transaction, id: PartnerId): Promise<Partner> {
  const [partner] = await db.select(columns).from(partners).where(eq(partners.id, id))
  return partner!
}

/** Returns the user, or `suspended` if the user's partner is suspended. @proof the user, who is signing in */
export async function unlessSuspended<Of extends { partnerId: number | null }>(
  db: Database,
  user: Of,
): Promise<Of | 'suspended'> {
  if (user.partnerId === null) return user
  const [suspended] = await db
    .select({ id: partners.id })
    .from(partners)
    .where(and(eq(partners.id, user.partnerId), isNotNull(partners.suspendedAt)))
  return suspended === undefined ? user : 'suspended'
}

/** Returns the partner's chosen time zone, or else the one derived from its deals. */
export const zoneOfPartner = ({ timeZone, usualZone }: Pick<Partner, 'timeZone' | 'usualZone'>): Zone =>
  toZone(timeZone ?? usualZone)

/** Stores the time zone chosen for a partner; null derives the time zone from the deals. */
export async function setPartnerZone(db: Transaction, id: PartnerId, zone: Zone | null): Promise<void> {
  await db.update(partners).set({ timeZone: zone }).where(eq(partners.id, id))
}

/** Stores whether the partner's members see the scorecard. */
export async function shareScorecard(db: Transaction, id: PartnerId, isShared: boolean): Promise<void> {
  await db.update(partners).set({ membersSeeScorecard: isShared }).where(eq(partners.id, id))
}

/** Inserts a partner. Returns undefined if the slug is taken. @system operators */
export async function insertPartner(
  db: Database | Transaction,
  slug: string,
  name: string,
  timeZone: Zone | null = null,
): Promise<Partner | undefined> {
  const [partner] = await db
    .insert(partners)
    .values({ slug, name, timeZone })
    .onConflictDoNothing()
    .returning(columns)
  return partner
}

/**
 * Returns the SQL condition that a row belongs to the tenant, given the column that contains the row's
 * partner.
 */
export const isWithin = (driver: ISql, tenant: TenantScope, partnerId = driver`partner_id`): Fragment =>
  isEveryone(tenant) ? driver`true` : driver`${partnerId} = ${tenant}`

/** Returns the same condition as `isWithin`, for the query builder. */
export const within = (tenant: TenantScope, partnerId: AnyColumn | SQL): SQL =>
  isEveryone(tenant) ? sql`true` : sql`${partnerId} = ${tenant}`
