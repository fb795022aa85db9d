import { and, asc, eq, isNull, or } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { users } from '#db/schema/accounts.ts'
import { views } from '#db/schema/views.ts'
import { type TenantScope, isEveryone, ownerOf } from '../accounts/partner.ts'

/** A view as shown to its users. */
export interface View {
  id: number
  name: string
  /** Query string of the deals page. */
  query: string
  isShared: boolean
  /** True if the caller created the view and may change it. */
  isMine: boolean
  ownerName: string
}

const within = (tenant: TenantScope) =>
  isEveryone(tenant) ? isNull(views.partnerId) : eq(views.partnerId, tenant)

/** Returns the user's own views and the shared views, by name. */
export async function listViews(db: Database, tenant: TenantScope, userId: number): Promise<View[]> {
  const rows = await db
    .select({
      id: views.id,
      name: views.name,
      query: views.query,
      isShared: views.isShared,
      userId: views.userId,
      ownerName: users.name,
    })
    .from(views)
    .innerJoin(users, eq(users.id, views.userId))
    .where(and(within(tenant), or(eq(views.userId, userId), views.isShared)))
    .orderBy(asc(views.name), asc(views.id))
  return rows.map(({ userId: owner, ...view }) => ({ ...view, isMine: owner === userId }))
}

/** Returns the views shared with the tenant's team, by id. */
export async function listSharedViews(
  db: Database,
  tenant: TenantScope,
): Promise<Pick<View, 'id' | 'name' | 'query'>[]> {
  return db
    .select({ id: views.id, name: views.name, query: views.query })
    .from(views)
    .where(and(within(tenant), views.isShared))
    .orderBy(asc(views.id))
}

/** Saves a view. Replaces the user's own view with this name, if there is one. Returns its id. */
export async function saveView(
  db: Database | Transaction,
  tenant: TenantScope,
  userId: number,
  view: Pick<View, 'name' | 'query' | 'isShared'>,
): Promise<number> {
  const [saved] = await db
    .insert(views)
    .values({ ...view, userId, partnerId: ownerOf(tenant) })
    .onConflictDoUpdate({
      target: [views.userId, views.partnerId, views.name],
      set: { query: view.query, isShared: view.isShared },
    })
    .returning({ id: views.id })
  return saved!.id
}

/**
 * Renames one of the user's own views. Returns `taken` if another view has that name, or `missing` if the
 * view does not exist.
 */
export async function renameView(
  db: Database | Transaction,
  tenant: TenantScope,
  userId: number,
  id: number,
  name: string,
): Promise<'renamed' | 'taken' | 'missing'> {
  return db.transaction(async (tx) => {
    const own = and(within(tenant), eq(views.userId, userId))
    const [other] = await tx
      .select({ id: views.id })
      .from(views)
      .where(and(own, eq(views.name, name)))
    if (other !== undefined && other.id !== id) return 'taken'
    const renamed = await tx
      .update(views)
      .set({ name })
      .where(and(own, eq(views.id, id)))
      .returning({ id: views.id })
    return renamed.length === 0 ? 'missing' : 'renamed'
  })
}

/** Removes one of the user's own views. Returns the name of the view, or undefined if it does not exist. */
export async function removeView(
  db: Database | Transaction,
  tenant: TenantScope,
  userId: number,
  id: number,
): Promise<string | undefined> {
  const [removed] = await db
    .delete(views)
    .where(and(within(tenant), eq(views.userId, userId), eq(views.id, id)))
    .returning({ name: views.name })
  return removed?.name
}

/** Returns the user's number of views in the tenant. */
export async function countViews(db: Transaction, tenant: TenantScope, userId: number): Promise<number> {
  return db.$count(views, and(within(tenant), eq(views.userId, userId)))
}
