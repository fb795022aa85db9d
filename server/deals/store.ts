import { eq, inArray, and, asc, gt, lte, min, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { staffPhones, dealLists, deals, events } from '#db/schema/deals.ts'
import type { TenantScope, PartnerId } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import { roleFields } from './columns.ts'
import { staffKey } from './deal.ts'
import { listIdOf } from './list-store.ts'
import type { DealVersion } from './reconcile.ts'
import { rerender, renderVersion, withoutFlags } from './render.ts'

/**
 * Returns the revision of a list, which increases with every change. Returns 0 if the list has never
 * contained a deal.
 */
export async function readRevision(db: Database, tenant: TenantScope): Promise<number> {
  const [list] = await db
    .select({ revision: dealLists.revision })
    .from(dealLists)
    .where(eq(dealLists.id, listIdOf(tenant)))
  return list?.revision ?? 0
}

/**
 * Returns the number of milliseconds since the list last changed, or null if the list has never contained a
 * deal.
 */
export async function readListAge(db: Database, tenant: TenantScope): Promise<number | null> {
  const [list] = await db
    .select({
      ageMs:
        sql<number>`extract(epoch from clock_timestamp()) * 1000 - ${dealLists.revision} / 1000.0`.mapWith(
          Number,
        ),
    })
    .from(dealLists)
    .where(eq(dealLists.id, listIdOf(tenant)))
  return list?.ageMs ?? null
}

/** Returns the JSON of a deal, or undefined if the tenant has no such deal. */
export async function readDeal(db: Database, tenant: TenantScope, id: bigint): Promise<string | undefined> {
  return (await readJson(db, tenant, id))?.json
}

/** Returns a deal like `readDeal`, but with null for flags that no source provided. */
export async function readKnownDeal(
  db: Database,
  tenant: TenantScope,
  id: bigint,
): Promise<string | undefined> {
  const deal = await readJson(db, tenant, id)
  return deal && withoutFlags(deal.json, deal.given)
}

async function readJson(db: Database, tenant: TenantScope, id: bigint) {
  const [deal] = await db
    .select({ json: deals.json, given: deals.given, version: deals.renderVersion })
    .from(deals)
    .where(and(eq(deals.id, id), within(tenant, deals.partnerId)))
  return deal && { json: deal.version >= renderVersion ? deal.json : rerender(deal.json), given: deal.given }
}

/** Returns the sequence of the partner's oldest stored event, or null if there is none. */
export async function readOldestSequence(
  db: Database | Transaction,
  partnerId: PartnerId,
): Promise<number | null> {
  const [row] = await db
    .select({ sequence: min(events.sequence) })
    .from(events)
    .where(eq(events.partnerId, partnerId))
  return row!.sequence
}

/**
 * The versions of a partner's deals, and the sequence of the partner's newest event in the same snapshot, or
 * 0 if there are no events.
 */
export interface StoredVersions {
  deals: DealVersion[]
  last: number
}

/**
 * Returns up to `limit` of the partner's deals with `after < id <= upTo`, in ascending order of ID. A bound
 * that is null does not apply.
 */
export async function readModified(
  db: Database,
  partnerId: PartnerId,
  after: bigint | null,
  upTo: bigint | null,
  limit: number,
): Promise<StoredVersions> {
  return db.transaction(
    async (tx) => {
      const [list] = await tx
        .select({ last: dealLists.lastSequence })
        .from(dealLists)
        .where(eq(dealLists.id, partnerId))
      const rows = await tx
        .select({ id: deals.id, lastModified: sql<string | null>`${deals.json}::json ->> 'lastModified'` })
        .from(deals)
        .where(
          and(
            eq(deals.partnerId, partnerId),
            after === null ? undefined : gt(deals.id, after),
            upTo === null ? undefined : lte(deals.id, upTo),
          ),
        )
        .orderBy(asc(deals.id))
        .limit(limit)
      return { deals: rows, last: list?.last ?? 0 }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/**
 * Returns the phone numbers of the staff of a deal by e-mail address (in lower case). Returns undefined if
 * the tenant has no such deal.
 */
export async function readPhones(
  db: Database,
  tenant: TenantScope,
  dealId: bigint,
): Promise<Record<string, string> | undefined> {
  const json = await readDeal(db, tenant, dealId)
  if (json === undefined) return undefined
  const deal = JSON.parse(json) as Record<string, { email?: string | null } | string | null>
  const emails = roleFields.flatMap((role) => {
    const person = deal[role]
    return typeof person === 'object' && person?.email ? [staffKey(person.email)] : []
  })
  if (emails.length === 0) return {}
  const rows = await db.select().from(staffPhones).where(inArray(staffPhones.email, emails))
  return Object.fromEntries(rows.map(({ email, phone }) => [email, phone]))
}

/**
 * Sets the phone number of a member of the staff; null removes the number.
 * @system operators, for deals of all partners
 */
export async function setPhone(tx: Transaction, email: string, phone: string | null): Promise<void> {
  if (phone === null) await tx.delete(staffPhones).where(eq(staffPhones.email, email))
  else
    await tx
      .insert(staffPhones)
      .values({ email, phone })
      .onConflictDoUpdate({ target: staffPhones.email, set: { phone } })
}
