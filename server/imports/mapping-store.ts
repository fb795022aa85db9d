import { eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { importMappings } from '#db/schema/imports.ts'
import type { Mapping } from '../readers/file-source.ts'

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
