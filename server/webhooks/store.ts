import { and, eq } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { PartnerId } from '../accounts/partner.ts'

/** The two addresses that a partner's events are sent to; null: not set. */
export interface Addresses {
  create: string | null
  update: string | null
}

/** The partner's addresses. */
export async function readAddresses(db: Database | Transaction, partnerId: PartnerId): Promise<Addresses> {
  const rows = await db.select().from(endpoints).where(eq(endpoints.partnerId, partnerId))
  return { create: null, update: null, ...Object.fromEntries(rows.map(({ kind, url }) => [kind, url])) }
}

/** Sets those addresses that are given, null clears one; gives all that are stored then. */
export async function writeAddresses(db: Database, partnerId: PartnerId, given: Partial<Addresses>): Promise<Addresses> {
  return db.transaction(async (tx) => {
    for (const kind of ['create', 'update'] as const) {
      const url = given[kind]
      if (url === undefined) continue
      if (url === null) await tx.delete(endpoints).where(and(eq(endpoints.partnerId, partnerId), eq(endpoints.kind, kind)))
      else {
        await tx.insert(endpoints).values({ partnerId, kind, url })
          .onConflictDoUpdate({ target: [endpoints.partnerId, endpoints.kind], set: { url, updatedAt: new Date() } })
      }
    }
    return readAddresses(tx, partnerId)
  })
}
