import { and, asc, eq, isNull, or } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { users } from '#db/schema/accounts.ts'
import { views } from '#db/schema/views.ts'
import type { Reach } from '../accounts/partner.ts'

/** A view as the people see it who have it. */
export interface View {
  id: number
  name: string
  /** The search part of the address of the deals page. */
  query: string
  isShared: boolean
  /** Whether whoever asks has made it, and may change it. */
  isMine: boolean
  ownerName: string
}

const within = (reach: Reach) => (reach === 0 ? isNull(views.partnerId) : eq(views.partnerId, reach))

/** Returns the views over the deals within reach that a user has: the user's own and the team's, by name. */
export async function listViews(db: Database, reach: Reach, userId: number): Promise<View[]> {
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
    .where(and(within(reach), or(eq(views.userId, userId), views.isShared)))
    .orderBy(asc(views.name), asc(views.id))
  return rows.map(({ userId: owner, ...view }) => ({ ...view, isMine: owner === userId }))
}

/** Keeps a view; the user's own view of this name is replaced. Gives its id. */
export async function saveView(
  db: Database | Transaction,
  reach: Reach,
  userId: number,
  view: Pick<View, 'name' | 'query' | 'isShared'>,
): Promise<number> {
  const [saved] = await db
    .insert(views)
    .values({ ...view, userId, partnerId: reach === 0 ? null : reach })
    .onConflictDoUpdate({
      target: [views.userId, views.partnerId, views.name],
      set: { query: view.query, isShared: view.isShared },
    })
    .returning({ id: views.id })
  return saved!.id
}

/** Names a view of the user's own anew. `taken` when another one has that name, `missing` when there is no such view. */
export async function renameView(
  db: Database | Transaction,
  reach: Reach,
  userId: number,
  id: number,
  name: string,
): Promise<'renamed' | 'taken' | 'missing'> {
  return db.transaction(async (tx) => {
    const own = and(within(reach), eq(views.userId, userId))
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

/** Removes a view of the user's own, and gives its name; undefined when there is no such view. */
export async function removeView(
  db: Database | Transaction,
  reach: Reach,
  userId: number,
  id: number,
): Promise<string | undefined> {
  const [removed] = await db
    .delete(views)
    .where(and(within(reach), eq(views.userId, userId), eq(views.id, id)))
    .returning({ name: views.name })
  return removed?.name
}

/** Returns how many views a user has over the deals within reach. */
export async function countViews(db: Database, reach: Reach, userId: number): Promise<number> {
  return db.$count(views, and(within(reach), eq(views.userId, userId)))
}
