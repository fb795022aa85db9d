import { eq, sql, and, desc, inArray, ne, or } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners, users } from '#db/schema/accounts.ts'
import { importMappings, imports } from '#db/schema/imports.ts'
import { endpoints } from '#db/schema/webhooks.ts'
import type { Mapping } from '../readers/file-source.ts'
import type { EndpointKind } from '../webhooks/delivery.ts'

/**
 * Returns the last completed import of a file with this checksum, for one partner or any partner, except this
 * import.
 * @system operators
 */
export async function findSame(
  db: Database,
  checksum: string,
  { partnerId, but }: { partnerId: number | null; but: number | null },
) {
  const [same] = await db
    .select({ id: imports.id, finishedAt: imports.finishedAt, who: users.name })
    .from(imports)
    .leftJoin(users, eq(users.id, imports.userId))
    .where(
      and(
        eq(imports.checksum, checksum),
        eq(imports.state, 'done'),
        partnerId === null ? undefined : eq(imports.partnerId, partnerId),
        but === null ? undefined : ne(imports.id, but),
      ),
    )
    .orderBy(desc(imports.finishedAt))
    .limit(1)
  return same
}

const hasChanged = sql`${imports.created} + ${imports.updated} + ${imports.removed} > 0`

/**
 * Returns the newest undo of an import that is changing or has changed a deal, or undefined.
 * @system operators
 */
export async function findUndo(db: Database | Transaction, id: number) {
  const [undo] = await db
    .select({ id: imports.id, state: imports.state })
    .from(imports)
    .where(
      and(eq(imports.undoes, id), ne(imports.state, 'failed'), or(ne(imports.state, 'done'), hasChanged)),
    )
    .orderBy(desc(imports.id))
    .limit(1)
  return undo
}

/** Returns the partners with these slugs and the URLs of their endpoints. @system operators */
export async function readEndpointsOf(db: Database, slugs: string[]) {
  const urlOf = (kind: EndpointKind) =>
    sql<string | null>`(select ${endpoints.url} from ${endpoints}
      where ${endpoints.partnerId} = ${partners.id} and ${endpoints.kind} = ${kind} and ${endpoints.switchedOffAt} is null)`
  return db
    .select({
      slug: partners.slug,
      name: partners.name,
      createURL: urlOf('create'),
      updateURL: urlOf('update'),
    })
    .from(partners)
    .where(inArray(partners.slug, slugs))
}

/** Returns the last column mapping for files with these titles, or null. @system operators */
export async function readMapping(db: Database, headerKey: string): Promise<Mapping | null> {
  const [found] = await db.select().from(importMappings).where(eq(importMappings.headerKey, headerKey))
  return found === undefined ? null : (JSON.parse(found.mapping) as Mapping)
}

/** Stores the column mapping for files with these titles. @system operators */
export async function rememberMapping(tx: Transaction, headerKey: string, mapping: string): Promise<void> {
  await tx
    .insert(importMappings)
    .values({ headerKey, mapping })
    .onConflictDoUpdate({ target: importMappings.headerKey, set: { mapping, usedAt: sql`now()` } })
}
