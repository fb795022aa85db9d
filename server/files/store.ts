import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import { lockLists } from '../deals/list-store.ts'
import type { StorageName } from './file.ts'
import { isOfDeal, isSeen, isSeenByPartner } from './visible-store.ts'

export type StoredFile = typeof files.$inferSelect

/** A new file whose content has been stored. */
export type NewFile = typeof files.$inferInsert

/**
 * Returns the file if the tenant can see it, or else undefined. The file belongs to a deal, or to a message
 * thread about a deal.
 */
export async function findFile(
  db: Database,
  tenant: TenantScope,
  id: string,
): Promise<StoredFile | undefined> {
  const [row] = await db
    .select({ file: files })
    .from(files)
    .innerJoin(deals, eq(deals.id, files.dealId))
    .where(and(eq(files.id, id), isSeen(tenant)))
  return row?.file
}

/**
 * Returns the file with this ID.
 * @proof the id, which came with a signature
 */
export async function findSignedFile(db: Database, id: string): Promise<StoredFile | undefined> {
  const [file] = await db.select().from(files).where(eq(files.id, id))
  return file
}

/** A file with a signed URL, the partner of its deal, and the partner that may currently read the file. */
export interface SignedDownload {
  file: StoredFile
  partnerId: number | null
  readerId: PartnerId | null
}

/** Returns the file with this ID, and the partner that may read the file. @proof the signature of the URL */
export async function findSignedDownload(db: Database, id: string): Promise<SignedDownload | undefined> {
  const [found] = await db
    .select({
      file: files,
      partnerId: deals.partnerId,
      readerId: sql<PartnerId | null>`case when ${isSeenByPartner} and ${partners.suspendedAt} is null then ${partners.id} end`,
    })
    .from(files)
    .innerJoin(deals, eq(deals.id, files.dealId))
    .leftJoin(partners, eq(partners.id, deals.partnerId))
    .where(eq(files.id, id))
  return found
}

/**
 * Inserts the metadata of a new file, unless the file already exists. Returns the deal's partner, or
 * undefined if the deal does not exist.
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

/** Returns the IDs of those deals that have files. @system imports */
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

/**
 * Locks and returns the files of a deal, so that no file is added or moved. Uses the same lock order as
 * deleting a deal.
 * @system operators
 */
export async function lockFilesOf(tx: Transaction, dealId: bigint): Promise<StoredFile[]> {
  await lockLists(driverTransaction(tx), [])
  await tx.select({ id: deals.id }).from(deals).where(eq(deals.id, dealId)).for('update')
  return tx.select().from(files).where(eq(files.dealId, dealId)).for('update')
}

/**
 * Returns the identity of the database. A standby has the same identity, but a restored copy has another.
 * @system retention
 */
export async function readDatabaseIdentity(db: Database): Promise<string> {
  const [row] = await db.execute<{ identity: string }>(sql`
    select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as identity
    from pg_control_system()`)
  return row!.identity
}

/**
 * Keeps the sweep from removing this content until the transaction ends.
 * @system retention and the sources
 */
export async function lockContent(tx: Transaction, key: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`content ${key}`}, 0))`)
}

/** Returns those of the keys that nothing references. @system retention */
export async function findUnnamed(db: Database | Transaction, keys: string[]): Promise<string[]> {
  const unnamed = await db.execute<{ key: string }>(sql`
    select key from json_array_elements_text(${JSON.stringify(keys)}::json) as keys (key)
    where not exists (select from files where id = key)
      and not exists (select from file_uploads where id = split_part(key, '.', 1))`)
  return unnamed.map(({ key }) => key)
}

/**
 * Calls `remove` if the content is unreferenced and `isOld` returns true; in the meantime, no reference can
 * be added. Returns true if the content was removed.
 * @system retention
 */
export function removeIfUnnamed(
  db: Database,
  key: string,
  isOld: () => Promise<boolean>,
  remove: () => Promise<void>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockContent(tx, key)
    if ((await findUnnamed(tx, [key])).length === 0 || !(await isOld())) return false
    await remove()
    return true
  })
}

/** Returns the next files after this ID whose content is in this storage. @system operators */
export function filesIn(
  db: Database,
  storage: StorageName,
  after: string,
  limit: number,
): Promise<StoredFile[]> {
  return db
    .select()
    .from(files)
    .where(and(eq(files.storage, storage), gt(files.id, after)))
    .orderBy(files.id)
    .limit(limit)
}

/**
 * Records that a file's content is in a new storage if `isThere` returns true; in the meantime, the file
 * cannot be moved or removed. Returns false if the file is gone or its content is not in `from`.
 * @system operators
 */
export function recordMove(
  db: Database,
  { id, from, to, checksum }: { id: string; from: StorageName; to: StorageName; checksum: string },
  isThere: () => Promise<boolean>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [file] = await tx
      .select({ storage: files.storage })
      .from(files)
      .where(eq(files.id, id))
      .for('update')
    if (file?.storage !== from || !(await isThere())) return false
    await tx
      .update(files)
      .set({ storage: to, storedAt: sql`now()`, checksum })
      .where(eq(files.id, id))
    return true
  })
}

/**
 * Removes the content of files that moved to another storage more than `seconds` ago. Returns how many were
 * removed, and how many moved too recently.
 * @system operators
 */
export function removeLeft(
  db: Database,
  { keys, movedTo, seconds }: { keys: string[]; movedTo: StorageName; seconds: number },
  remove: (key: string) => Promise<void>,
): Promise<{ removed: number; waiting: number }> {
  return db.transaction(async (tx) => {
    const left = await tx
      .select({
        id: files.id,
        isOld: sql<boolean>`${files.storedAt} <= now() - ${seconds} * interval '1 second'`,
      })
      .from(files)
      .where(and(inArray(files.id, keys), eq(files.storage, movedTo)))
      .for('update')
    const old = left.filter(({ isOld }) => isOld)
    for (const { id } of old) await remove(id)
    return { removed: old.length, waiting: left.length - old.length }
  })
}

/** Returns the files of a deal if the tenant can see it, oldest first. Excludes files of message threads. */
export async function readFiles(db: Database, tenant: TenantScope, dealId: bigint): Promise<StoredFile[]> {
  const rows = await db
    .select({ file: files })
    .from(files)
    .innerJoin(deals, eq(deals.id, files.dealId))
    .where(and(eq(files.dealId, dealId), isOfDeal, within(tenant, deals.partnerId)))
    .orderBy(files.createdAt, files.id)
  return rows.map(({ file }) => file)
}

/**
 * Deletes a file. Returns the partner of the file's deal, or undefined if the file does not exist.
 * @system operators
 */
export async function deleteFile(
  db: Transaction,
  id: string,
): Promise<{ partnerId: number | null } | undefined> {
  const [gone] = await db
    .delete(files)
    .where(eq(files.id, id))
    .returning({
      partnerId: sql<number | null>`(select partner_id from deals where deals.id = files.deal_id)`,
    })
  return gone
}
