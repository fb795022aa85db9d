import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { TransactionSql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { deals } from '#db/schema/deals.ts'
import { files } from '#db/schema/files.ts'
import { sourceFiles, sources } from '#db/schema/sources.ts'
import type { StorageName } from '../files/file.ts'
import { lockContent } from '../files/store.ts'
import type { FileOfDeal } from './crm-source.ts'
import { isBeingRead } from './store.ts'

/** A file referenced by a source, and its stored state. */
export interface KnownFile {
  fileId: string
  dealId: bigint
  /** The CRM's revision of the stored content, or null if nothing is stored. */
  revision: string | null
  /** The CRM's revision of content that the virus scanner rejected. */
  refused: string | null
  /** Storage of the content, or null if no file has this id. */
  storage: StorageName | null
}

/**
 * Records which files the deals on a page reference. Marks files for removal that these deals no longer
 * reference. A file of several deals belongs to the first deal.
 * @system the sources
 */
export async function saveNamedFiles(
  tx: TransactionSql,
  sourceId: number,
  {
    dealIds,
    named,
    isComplete,
    isChange,
  }: { dealIds: bigint[]; named: FileOfDeal[]; isComplete: boolean; isChange: boolean },
): Promise<void> {
  const ids = dealIds.map(String)
  const rows = JSON.stringify(named.filter(({ dealId }) => ids.includes(dealId)))
  if (isComplete)
    await tx`
    update source_files known set is_named = false, checked_at = null
    where source_id = ${sourceId} and deal_id = any(${ids}::bigint[]) and is_named and not exists (
      select from json_to_recordset(${rows}::json) as named ("dealId" text, "fileId" text)
      where named."dealId"::bigint = known.deal_id and named."fileId" = known.file_id)`
  await tx`
    insert into source_files as known (file_id, source_id, deal_id)
    select distinct on ("fileId") "fileId", ${sourceId}, "dealId"::bigint
    from json_to_recordset(${rows}::json) as named ("dealId" text, "fileId" text) order by "fileId", "dealId"::bigint
    on conflict (file_id) do update set deal_id = excluded.deal_id, is_named = true,
      checked_at = case when ${isChange} then null else known.checked_at end
    where known.source_id = excluded.source_id and (known.deal_id = excluded.deal_id or not known.is_named)`
}

const known = {
  fileId: sourceFiles.fileId,
  dealId: sourceFiles.dealId,
  revision: sourceFiles.revision,
  refused: sourceFiles.refused,
  storage: files.storage,
}

/** Groups of files to check in a poll: new or changed files, failed files, or all others in turn. */
export type DueKind = 'new' | 'failed' | 'others'

/**
 * Returns files of existing deals to check with the CRM. Files that were already checked are included only if
 * last checked before `before`.
 * @system the sources
 */
export function readDueFiles(
  db: Database,
  sourceId: number,
  { kind, before, limit }: { kind: DueKind; before: Date; limit: number },
): Promise<KnownFile[]> {
  const isAsked = sql`${sourceFiles.checkedAt} < ${before.toISOString()}::timestamptz`
  const isDue = {
    new: sql`${sourceFiles.checkedAt} is null`,
    failed: and(isNotNull(sourceFiles.problem), isAsked),
    others: and(isNull(sourceFiles.problem), isAsked),
  }[kind]
  return db
    .select(known)
    .from(sourceFiles)
    .leftJoin(files, eq(files.id, sourceFiles.fileId))
    .where(
      and(
        eq(sourceFiles.sourceId, sourceId),
        sourceFiles.isNamed,
        sql`exists (select from deals where deals.id = ${sourceFiles.dealId})`,
        isDue,
      ),
    )
    .orderBy(sourceFiles.checkedAt, sourceFiles.fileId)
    .limit(limit)
}

/** Returns files that deals no longer reference. @system the sources */
export const readUnnamedFiles = (db: Database, sourceId: number, limit: number): Promise<KnownFile[]> =>
  db
    .select(known)
    .from(sourceFiles)
    .leftJoin(files, eq(files.id, sourceFiles.fileId))
    .where(and(eq(sourceFiles.sourceId, sourceId), eq(sourceFiles.isNamed, false)))
    .limit(limit)

export interface FileContent {
  name: string
  type: string
  sizeBytes: number
  storage: StorageName
  checksum: string | null
}

/**
 * Saves a file with its stored content and CRM revision. Calls `isThere` at a point where the sweep cannot
 * remove the content. Returns false if the content or the deal no longer exists.
 * @system the sources
 */
export async function saveSourceFile(
  db: Database,
  { fileId, dealId }: Pick<KnownFile, 'fileId' | 'dealId'>,
  revision: string,
  { isThere, ...content }: FileContent & { isThere?: () => Promise<boolean> },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockContent(tx, fileId)
    const [deal] = await tx.select({ id: deals.id }).from(deals).where(eq(deals.id, dealId)).for('key share')
    if (deal === undefined || (isThere !== undefined && !(await isThere()))) return false
    await tx
      .insert(files)
      .values({ id: fileId, dealId, ...content })
      .onConflictDoUpdate({ target: files.id, set: { dealId, ...content, storedAt: sql`now()` } })
    await recordFile(tx, fileId, { revision, problem: null })
    return true
  })
}

/** Records the result of checking a file with the CRM: a problem, or no change. @system the sources */
export async function recordFile(
  db: Database | Transaction,
  fileId: string,
  values: { problem: string | null; revision?: string | null; refused?: string; dealId?: bigint },
): Promise<void> {
  const { dealId, ...rest } = values
  await db
    .update(sourceFiles)
    .set({ ...rest, checkedAt: sql`clock_timestamp()` })
    .where(eq(sourceFiles.fileId, fileId))
  if (dealId !== undefined) await db.update(files).set({ dealId }).where(eq(files.id, fileId))
}

/**
 * Deletes a file that no longer exists. Also deletes its record, unless deals still reference the file.
 * @system the sources
 */
export async function deleteSourceFile(db: Database, fileId: string, problem: string | null): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(files).where(eq(files.id, fileId))
    if (problem === null) await tx.delete(sourceFiles).where(eq(sourceFiles.fileId, fileId))
    else await recordFile(tx, fileId, { revision: null, problem })
  })
}

/** Deletes the record of a file that was never stored. @system the sources */
export async function deleteUnstoredFile(db: Database, fileId: string): Promise<void> {
  await db.delete(sourceFiles).where(eq(sourceFiles.fileId, fileId))
}

/** Schedules all files of a source to be checked again. @system operators */
export async function recheckFiles(tx: Transaction, sourceId: number, isNamed: boolean): Promise<void> {
  await tx
    .update(sourceFiles)
    .set({ checkedAt: null, ...(!isNamed && { isNamed }) })
    .where(eq(sourceFiles.sourceId, sourceId))
}

/**
 * Returns the source of a file's content, its revision, and its deal.
 * @proof the id of a file found within the tenant
 */
export async function findFileSource(db: Database, fileId: string) {
  const [found] = await db
    .select({
      id: sources.id,
      kind: sources.kind,
      settings: sources.settings,
      secret: sources.secret,
      isBeingRead: isBeingRead().mapWith(Boolean),
      revision: sourceFiles.revision,
      partnerId: deals.partnerId,
    })
    .from(sourceFiles)
    .innerJoin(sources, eq(sources.id, sourceFiles.sourceId))
    .leftJoin(deals, eq(deals.id, sourceFiles.dealId))
    .where(eq(sourceFiles.fileId, fileId))
  return found
}

/**
 * Returns the number of stored files and of pending files of a source, and the failed files.
 * @system operators
 */
export async function readFileState(db: Database, sourceId: number, limit: number) {
  const ofSource = and(eq(sourceFiles.sourceId, sourceId), sourceFiles.isNamed)
  const [here, waiting, failed, problems] = await Promise.all([
    db.$count(sourceFiles, and(ofSource, isNotNull(sourceFiles.revision))),
    db.$count(sourceFiles, and(ofSource, sql`${sourceFiles.checkedAt} is null`)),
    db.$count(sourceFiles, and(ofSource, isNotNull(sourceFiles.problem))),
    db
      .select({ fileId: sourceFiles.fileId, dealId: sourceFiles.dealId, problem: sourceFiles.problem })
      .from(sourceFiles)
      .where(and(ofSource, isNotNull(sourceFiles.problem)))
      .orderBy(sourceFiles.fileId)
      .limit(limit),
  ])
  return { here, waiting, failed, problems: problems.map((row) => ({ ...row, problem: row.problem! })) }
}
