import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { deals } from '#db/schema/deals.ts'
import { fileUploads } from '#db/schema/files.ts'
import { type PartnerId, type TenantScope, isEveryone } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import { uploadRetentionHours } from './policy.ts'

export type StoredUpload = typeof fileUploads.$inferSelect

/**
 * Returns the partner of a deal of the tenant, and the number of files and uploads: those of the deal itself,
 * or those of its message threads.
 */
export async function findFiledDeal(
  db: Database | Transaction,
  tenant: TenantScope,
  dealId: bigint,
  isForThread: boolean,
): Promise<{ partnerId: number | null; fileCount: number } | undefined> {
  const [deal] = await db
    .select({
      partnerId: deals.partnerId,
      fileCount: sql<number>`((select count(*) from files where deal_id = ${dealId}::bigint and (thread_partner_id is not null) = ${isForThread}) + (select count(*) from file_uploads where deal_id = ${dealId}::bigint and (thread_partner_id is not null) = ${isForThread}))::int`,
    })
    .from(deals)
    .where(and(eq(deals.id, dealId), within(tenant, deals.partnerId)))
  return deal
}

/** Inserts an upload that has received no content yet. @system operators */
export async function insertUpload(
  db: Database | Transaction,
  upload: Pick<StoredUpload, 'id' | 'dealId' | 'threadPartnerId' | 'name' | 'kind' | 'sizeBytes' | 'userId'>,
): Promise<void> {
  await db.insert(fileUploads).values(upload)
}

/** Returns how many unfinished uploads a user has, and how many all users of the partner have. */
export async function countUploads(
  tx: Transaction,
  userId: number,
  partnerId: PartnerId,
): Promise<{ ofMember: number; ofPartner: number }> {
  return {
    ofMember: await tx.$count(fileUploads, eq(fileUploads.userId, userId)),
    ofPartner: await tx.$count(fileUploads, eq(fileUploads.threadPartnerId, partnerId)),
  }
}

/**
 * Locks the files of a deal against concurrent uploads, so that the files can be counted exactly.
 * @system uploads
 */
export async function lockFilesOfDeal(tx: Transaction, dealId: bigint): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`files of deal ${dealId}`}, 0))`)
}

export type FoundUpload = StoredUpload & { partnerId: number | null }

/** Returns an upload to a deal that the tenant can see, or to a message thread about such a deal. */
export async function findUpload(
  db: Database,
  tenant: TenantScope,
  id: string,
): Promise<FoundUpload | undefined> {
  const [row] = await db
    .select({ upload: fileUploads, partnerId: deals.partnerId })
    .from(fileUploads)
    .innerJoin(deals, eq(deals.id, fileUploads.dealId))
    .where(
      and(
        eq(fileUploads.id, id),
        within(tenant, deals.partnerId),
        isEveryone(tenant)
          ? undefined
          : or(isNull(fileUploads.threadPartnerId), eq(fileUploads.threadPartnerId, tenant)),
      ),
    )
  return row && { ...row.upload, partnerId: row.partnerId }
}

/**
 * Records a stored slice, unless another slice was recorded first. Returns the number of bytes received so
 * far.
 * @system operators
 */
export async function recordSlice(
  db: Database | Transaction,
  id: string,
  { offset, length, name }: { offset: number; length: number; name: string },
): Promise<number | undefined> {
  const [upload] = await db
    .update(fileUploads)
    .set({
      receivedBytes: offset + length,
      offsets: sql`array_append(${fileUploads.offsets}, ${offset}::bigint)`,
      names: sql`array_append(${fileUploads.names}, ${name}::text)`,
    })
    .where(and(eq(fileUploads.id, id), eq(fileUploads.receivedBytes, offset)))
    .returning({ receivedBytes: fileUploads.receivedBytes })
  return upload?.receivedBytes
}

/** Deletes an upload. Returns its last state, or undefined if the upload does not exist. @system operators */
export async function deleteUpload(
  db: Database | Transaction,
  id: string,
): Promise<StoredUpload | undefined> {
  const [gone] = await db.delete(fileUploads).where(eq(fileUploads.id, id)).returning()
  return gone
}

/** Returns the uploads to a deal. The deal itself may have been removed. @system operators */
export const findUploadsTo = (db: Database, dealId: bigint): Promise<StoredUpload[]> =>
  db.select().from(fileUploads).where(eq(fileUploads.dealId, dealId))

/** Returns unfinished uploads that have expired, or only the one with this ID. @system retention */
export function findOldUploads(db: Database, id?: string): Promise<StoredUpload[]> {
  return db
    .select()
    .from(fileUploads)
    .where(
      and(
        lt(fileUploads.createdAt, sql`now() - ${uploadRetentionHours} * interval '1 hour'`),
        id === undefined ? undefined : eq(fileUploads.id, id),
      ),
    )
}
