import { and, eq, inArray } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import type { Reach } from '../accounts/partner.ts'

export type StoredFile = typeof files.$inferSelect

/** A file whose content is stored. */
export type NewFile = typeof files.$inferInsert

/** Returns the file if it belongs to a deal within reach. */
export async function findFile(db: Database, reach: Reach, id: string): Promise<StoredFile | undefined> {
  const [row] = await db
    .select({ file: files })
    .from(files)
    .innerJoin(deals, eq(deals.id, files.dealId))
    .where(and(eq(files.id, id), reach === 0 ? undefined : eq(deals.partnerId, reach)))
  return row?.file
}

/**
 * Returns the file of a signed URL, whose signature proves the right to it.
 * @proof the id, which came with a signature
 */
export async function findSignedFile(db: Database, id: string): Promise<StoredFile | undefined> {
  const [file] = await db.select().from(files).where(eq(files.id, id))
  return file
}

/**
 * Inserts the metadata of a new file unless it exists. Returns the deal's partner, or undefined when the deal
 * does not exist.
 * @system operators
 */
export async function insertFile(
  db: Database | Transaction,
  file: NewFile,
): Promise<{ partnerId: number | null } | undefined> {
  return db.transaction(async (tx) => {
    const [deal] = await tx
      .select({ partnerId: deals.partnerId })
      .from(deals)
      .where(eq(deals.id, file.dealId))
      .for('key share')
    if (deal !== undefined) await tx.insert(files).values(file).onConflictDoNothing()
    return deal
  })
}

/** Returns which of the deals have files. @system imports */
export async function dealsWithFiles(db: Database, dealIds: bigint[]): Promise<Set<bigint>> {
  const rows = await db
    .selectDistinct({ dealId: files.dealId })
    .from(files)
    .where(inArray(files.dealId, dealIds))
  return new Set(rows.map(({ dealId }) => dealId))
}

/** Returns the files of a deal, oldest first. @system operators */
export function filesOf(db: Database, dealId: bigint): Promise<StoredFile[]> {
  return db.select().from(files).where(eq(files.dealId, dealId)).orderBy(files.createdAt, files.id)
}
