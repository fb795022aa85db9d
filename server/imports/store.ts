import { randomUUID } from 'node:crypto'
import { and, eq, inArray, sql, desc, getTableColumns, isNotNull, isNull, lt, ne, or } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { partners, users } from '#db/schema/accounts.ts'
import { imports } from '#db/schema/imports.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { within } from '../accounts/store.ts'
import { ApiError, notFound } from '../errors.ts'
import { sendJob } from '../jobs/send-store.ts'
import { hasJob } from '../jobs/store.ts'
import type { ImportCounts } from '../records/import-deals.ts'
import { aliveMs } from './import.ts'
import { leftoverRetentionDays, rejectedRetentionDays, undoRetentionDays } from './policy.ts'

type Row = typeof imports.$inferSelect

type Run = 'checking' | 'importing'

/** An import that this process has leased to check or import. */
export type LeasedImport = Row & {
  state: Run
  /** Proves that this process still has the lease. */
  leaseId: string
}

/** The outcome of a run. */
export type RunOutcome = Partial<
  Pick<Row, 'state' | 'problem' | 'sample' | 'finishedAt' | 'checksum' | 'mapping' | 'stages'>
>

export type Discarded = Pick<Row, 'fileName' | 'partnerId'>

const isRunning = inArray(imports.state, ['checking', 'importing'])

/** True if a process is checking or importing the file, or a job is going to. */
const isAlive = sql`(coalesce(${imports.aliveAt} > clock_timestamp() - ${aliveMs} * interval '1 ms', false)
  or ${hasJob('run-import', sql`${imports.id}::text`)})`
const { sample, ...columns } = getTableColumns(imports)

const listed = {
  ...columns,
  /** True if the process that checked or imported the file is dead. */
  isInterrupted: sql<boolean>`${imports.state} in ('checking', 'importing') and not ${isAlive}`,
  hasRejected: sql<boolean>`${imports.rejected} + ${imports.unreadable} > 0 and (${imports.origin} <> 'command' or ${imports.undoes} is not null) and coalesce(${imports.finishedAt} > now() - ${rejectedRetentionDays} * interval '1 day', true)`,
  partner: { slug: partners.slug, name: partners.name, suspendedAt: partners.suspendedAt },
  /** True if the import has ended and its undo data still exists. */
  isUndoable: sql<boolean>`coalesce(${imports.startedAt} is not null and ${imports.finishedAt} > now() - ${undoRetentionDays} * interval '1 day', false)`,
  /** Null if the account was deleted. */
  who: { name: users.name, email: users.email },
}

/** Returns the tenant's imports, newest first, starting before this id if given. */
export function readImports(db: Database, tenant: TenantScope, before: number | null, limit: number) {
  return db
    .select(listed)
    .from(imports)
    .leftJoin(partners, eq(partners.id, imports.partnerId))
    .leftJoin(users, eq(users.id, imports.userId))
    .where(and(within(tenant, imports.partnerId), before === null ? undefined : lt(imports.id, before)))
    .orderBy(desc(imports.id))
    .limit(limit)
}

/** An import with the results of its check. */
export type StoredImport = NonNullable<Awaited<ReturnType<typeof findImport>>>

/** Returns an import with the results of its check as JSON, or undefined. @system operators */
export async function findImport(db: Database | Transaction, id: number) {
  const [found] = await db
    .select({ ...listed, sample })
    .from(imports)
    .leftJoin(partners, eq(partners.id, imports.partnerId))
    .leftJoin(users, eq(users.id, imports.userId))
    .where(eq(imports.id, id))
  return found
}

/** An import whose content is not uploaded yet. */
export type NewImport = Pick<Row, 'fileName' | 'sizeBytes' | 'storage' | 'partnerId' | 'events' | 'userId'> &
  Partial<Pick<Row, 'origin' | 'undoes' | 'corrects' | 'clearsEmpty' | 'stages'>>

/** Inserts an import whose content is not uploaded yet. Returns its id. @system operators */
export async function insertImport(db: Database | Transaction, values: NewImport): Promise<number> {
  const [made] = await db
    .insert(imports)
    .values({ ...values, state: 'uploading' })
    .returning({ id: imports.id })
  return made!.id
}

/**
 * Calls `keep` to store the next `length` bytes of a file if they begin at `offset`. Locks the file across
 * processes. Returns the number of bytes received.
 * @throws ApiError 404 if the upload does not exist @system operators
 */
export async function appendSlice(
  db: Database,
  id: number,
  slice: { offset: number; length: number },
  keep: () => Promise<void>,
): Promise<{ receivedBytes: number; sizeBytes: number; isTaken: boolean }> {
  return db.transaction(async (tx) => {
    const [upload] = await tx
      .select({ receivedBytes: imports.receivedBytes, sizeBytes: imports.sizeBytes, state: imports.state })
      .from(imports)
      .where(eq(imports.id, id))
      .for('update')
    if (upload === undefined) throw notFound('Import')
    const { receivedBytes, sizeBytes, state } = upload
    if (state !== 'uploading' || slice.offset !== receivedBytes)
      return { receivedBytes, sizeBytes, isTaken: false }
    const end = receivedBytes + slice.length
    if (end > sizeBytes) throw new ApiError('BAD_REQUEST', 'The file is longer than announced')
    await keep()
    await tx.update(imports).set({ receivedBytes: end }).where(eq(imports.id, id))
    return { receivedBytes: end, sizeBytes, isTaken: true }
  })
}

/**
 * Records a stored slice unless another slice was recorded first. Returns the number of bytes received.
 * @system operators
 */
export async function recordImportSlice(
  db: Database,
  id: number,
  { offset, length }: { offset: number; length: number },
): Promise<number | undefined> {
  const [upload] = await db
    .update(imports)
    .set({
      receivedBytes: offset + length,
      offsets: sql`array_append(${imports.offsets}, ${offset}::bigint)`,
    })
    .where(and(eq(imports.id, id), eq(imports.state, 'uploading'), eq(imports.receivedBytes, offset)))
    .returning({ receivedBytes: imports.receivedBytes })
  return upload?.receivedBytes
}

/** The operator's choices for a run. */
type Choices = Pick<
  Row,
  | 'events'
  | 'mapping'
  | 'sheet'
  | 'headerRow'
  | 'dayFirst'
  | 'encoding'
  | 'decimal'
  | 'movesDeals'
  | 'clearsEmpty'
>

/** Inserts and leases an import for a command, which runs it. @system operators */
export async function beginImport(
  db: Database | Transaction,
  values: Choices & Pick<Row, 'fileName' | 'sizeBytes' | 'partnerId' | 'checksum'>,
): Promise<LeasedImport> {
  const [begun] = await db
    .insert(imports)
    .values({
      ...values,
      origin: 'command',
      state: 'importing',
      receivedBytes: values.sizeBytes,
      leaseId: randomUUID(),
      aliveAt: sql`clock_timestamp()`,
      startedAt: sql`clock_timestamp()`,
    })
    .returning()
  return begun as LeasedImport
}

/** Returns the number of an operator's imports that still need their file. @system operators */
export const countUnfinished = (db: Transaction, userId: number) =>
  db.$count(
    imports,
    and(
      eq(imports.userId, userId),
      inArray(imports.state, ['uploading', 'checking', 'checked', 'importing']),
    ),
  )

const takeable = {
  /** The file is completely uploaded. */
  uploaded: and(eq(imports.state, 'uploading'), eq(imports.receivedBytes, imports.sizeBytes)),
  /** The check was interrupted. */
  unchecked: and(eq(imports.state, 'checking'), sql`not ${isAlive}`),
  /** The file is checked, and can be checked again with other columns or another sheet. */
  unmapped: and(eq(imports.state, 'checked'), eq(imports.origin, 'upload')),
  /** The file is checked, or its import was interrupted. */
  checked: or(
    eq(imports.state, 'checked'),
    and(
      eq(imports.state, 'importing'),
      or(ne(imports.origin, 'command'), isNotNull(imports.undoes)),
      sql`not ${isAlive}`,
    ),
  ),
}

/** Columns of a run that this process begins. */
const newLease = () => ({ aliveAt: sql`clock_timestamp()`, leaseId: randomUUID() })

/**
 * Sends the job that checks or imports an import in state `from`, and sets these columns. Returns undefined
 * if another caller was first.
 * @system operators
 */
export async function sendImport(
  tx: Transaction,
  id: number,
  from: keyof typeof takeable,
  set: Partial<Choices & Pick<Row, 'stages'>> = {},
): Promise<Row | undefined> {
  const begun = await beginRun(tx, id, from, {
    ...set,
    // Marks the import as alive, because a concurrent caller sees this row before the job.
    aliveAt: sql`clock_timestamp()`,
    leaseId: null,
  })
  if (begun !== undefined)
    await sendJob(driverTransaction(tx), 'run-import', {
      data: { importId: id },
      key: id,
      group: begun.userId ?? 0,
    })
  return begun
}

/**
 * Leases an import in state `from` for this process. Returns undefined if another caller was first.
 * @system operators
 */
export async function leaseImport(
  db: Database | Transaction,
  id: number,
  from: keyof typeof takeable,
  set: Partial<Choices & Pick<Row, 'stages'>> = {},
): Promise<LeasedImport | undefined> {
  return (await beginRun(db, id, from, { ...set, ...newLease() })) as LeasedImport | undefined
}

/**
 * Leases an import for its job, even from another process. Returns undefined if the import has ended.
 * @system the worker
 */
export async function takeImport(db: Database, id: number): Promise<LeasedImport | undefined> {
  const [leased] = await db
    .update(imports)
    .set(newLease())
    .where(and(eq(imports.id, id), isRunning))
    .returning()
  return leased as LeasedImport | undefined
}

async function beginRun(
  db: Database | Transaction,
  id: number,
  from: keyof typeof takeable,
  set: PgUpdateSetSource<typeof imports>,
): Promise<Row | undefined> {
  const [begun] = await db
    .update(imports)
    .set({
      state: from === 'checked' ? 'importing' : 'checking',
      problem: null,
      ...set,
      ...(from === 'checked' && { startedAt: sql`clock_timestamp()` }),
      removed: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      rejected: 0,
      unreadable: 0,
    })
    .where(and(eq(imports.id, id), takeable[from]))
    .returning()
  return begun
}

/**
 * Records a heartbeat with the current counts. Returns false if the lease was lost.
 * @proof the lease
 */
export async function renewImportLease(
  db: Database,
  lease: Pick<LeasedImport, 'id' | 'leaseId'>,
  counts: ImportCounts & { removed: number },
): Promise<boolean> {
  const renewed = await db
    .update(imports)
    .set({ ...counts, aliveAt: sql`clock_timestamp()` })
    .where(and(isOurs(lease), isRunning))
    .returning({ id: imports.id })
  return renewed.length > 0
}

/**
 * Records the outcome if this process still has the lease. Idempotent. Returns false if the lease was lost.
 * @proof the lease
 */
export async function endImportLease(
  db: Database,
  lease: Pick<LeasedImport, 'id' | 'leaseId'>,
  outcome: RunOutcome & ImportCounts & { removed: number },
): Promise<boolean> {
  const ended = await db
    .update(imports)
    .set({ ...outcome, aliveAt: null })
    .where(and(isOurs(lease), inArray(imports.state, ['checking', 'importing', outcome.state ?? 'checking'])))
    .returning({ id: imports.id })
  return ended.length > 0
}

const isOurs = ({ id, leaseId }: Pick<LeasedImport, 'id' | 'leaseId'>) =>
  and(eq(imports.id, id), eq(imports.leaseId, leaseId))

/**
 * Discards a file that is not being imported. Deletes the import if it wrote nothing, otherwise keeps it in
 * the list. Returns the discarded import, or undefined.
 * @system operators
 */
export async function discardImport(tx: Transaction, id: number): Promise<Discarded | undefined> {
  const returned = { fileName: imports.fileName, partnerId: imports.partnerId }
  const [deleted] = await tx
    .delete(imports)
    .where(and(eq(imports.id, id), inArray(imports.state, ['uploading', 'checking', 'checked'])))
    .returning(returned)
  if (deleted !== undefined) return deleted
  const [ended] = await tx
    .update(imports)
    .set(abandoned)
    .where(and(eq(imports.id, id), eq(imports.state, 'importing'), sql`not ${isAlive}`))
    .returning(returned)
  return ended
}

const abandoned = {
  state: 'failed' as const,
  problem: 'The import was interrupted and not resumed. What it had imported by then is kept.',
  finishedAt: sql`now()`,
  aliveAt: null,
}

/**
 * Discards imports abandoned for days. Returns which of these ids still need their file or their rejected
 * rows.
 * @system retention
 */
export async function endLeftovers(
  db: Database,
  ids: number[],
): Promise<{ contents: Set<number>; rejected: Set<number> }> {
  const isLeft = and(
    lt(imports.createdAt, sql`now() - ${leftoverRetentionDays} * interval '1 day'`),
    sql`not ${isAlive}`,
  )
  await db.delete(imports).where(and(isLeft, inArray(imports.state, ['uploading', 'checking', 'checked'])))
  await db
    .update(imports)
    .set(abandoned)
    .where(and(isLeft, eq(imports.state, 'importing')))
  const needed = await db
    .select({ id: imports.id, finishedAt: imports.finishedAt })
    .from(imports)
    .where(
      and(
        inArray(imports.id, ids),
        or(
          isNull(imports.finishedAt),
          sql`${imports.finishedAt} > now() - ${rejectedRetentionDays} * interval '1 day'`,
        ),
      ),
    )
  return {
    contents: new Set(needed.filter(({ finishedAt }) => finishedAt === null).map(({ id }) => id)),
    rejected: new Set(needed.map(({ id }) => id)),
  }
}

/** Returns the leases that running processes still have. @system retention */
export async function findLiveLeases(db: Database, leaseIds: string[]): Promise<Set<string>> {
  const live = await db
    .select({ leaseId: imports.leaseId })
    .from(imports)
    .where(and(inArray(imports.leaseId, leaseIds), isAlive))
  return new Set(live.map(({ leaseId }) => leaseId!))
}
