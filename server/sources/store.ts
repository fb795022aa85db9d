import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql, asc, count, getTableColumns } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { sources, sourceDeals, sourceDelays, sourcePartners, sourceRejects } from '#db/schema/sources.ts'
import { isJobRunning } from '../jobs/store.ts'
import { delayDays, delayMinMs } from './policy.ts'

type Row = typeof sources.$inferSelect

export type StoredSource = Omit<Row, 'secret' | 'clientSecret' | 'leaseId'> & {
  isRunning: boolean
  hasSigningSecret: boolean
}

/** Returns the condition that a running process is reading a source. */
export const isBeingRead = () => isJobRunning('read-source', sql`${sources.id}::text`)

const { secret: _secret, clientSecret: _client, leaseId: _leaseId, ...columns } = getTableColumns(sources)
const visibleColumns = {
  ...columns,
  isRunning: sql<boolean>`${isBeingRead()}`,
  hasSigningSecret: sql<boolean>`${sources.clientSecret} is not null`,
}

/** Returns all sources by name. @system operators */
export const readSources = (db: Database): Promise<StoredSource[]> =>
  db.select(visibleColumns).from(sources).orderBy(asc(sources.name))

/** Returns the source with this id, or undefined. @system operators */
export async function findSource(db: Database | Transaction, id: number): Promise<StoredSource | undefined> {
  const [found] = await db.select(visibleColumns).from(sources).where(eq(sources.id, id))
  return found
}

/** Returns the encrypted secret of a source, or undefined if the source does not exist. @system operators */
export async function readSecret(db: Database, id: number): Promise<string | undefined> {
  const [found] = await db.select({ secret: sources.secret }).from(sources).where(eq(sources.id, id))
  return found?.secret
}

/**
 * Inserts a source and returns its id. `encryptSecret` receives the id that the secret is bound to. Returns
 * undefined if the name is taken.
 * @system operators
 */
export async function insertSource(
  tx: Transaction,
  values: Pick<Row, 'kind' | 'name' | 'settings' | 'pollS'> & { connectedAt?: null },
  encryptSecret: (id: number) => string,
): Promise<number | undefined> {
  const [made] = await tx
    .insert(sources)
    .values({ ...values, secret: '' })
    .onConflictDoNothing()
    .returning({ id: sources.id })
  if (made === undefined) return undefined
  await tx
    .update(sources)
    .set({ secret: encryptSecret(made.id) })
    .where(eq(sources.id, made.id))
  return made.id
}

/** Connects a source that is on trial. Returns the name of the source, or undefined. @system operators */
export async function connectSource(tx: Transaction, id: number): Promise<string | undefined> {
  const now = sql`clock_timestamp()`
  const [connected] = await tx
    .update(sources)
    .set({ connectedAt: now, createdAt: now, nextAt: now, succeededAt: null, leaseId: null })
    .where(and(eq(sources.id, id), isNull(sources.connectedAt)))
    .returning({ name: sources.name })
  return connected?.name
}

/** Updates a source. Returns its name, or undefined if it does not exist. @system operators */
export async function updateSource(
  tx: Transaction,
  id: number,
  values: PgUpdateSetSource<typeof sources>,
): Promise<string | undefined> {
  const [changed] = await tx
    .update(sources)
    .set(values)
    .where(eq(sources.id, id))
    .returning({ name: sources.name })
  return changed?.name
}

/**
 * Changes the settings of a source. Revokes the lease and reads everything again, in a first load or a
 * comparison. Returns the source's name, or undefined.
 * @system operators
 */
export async function restartSource(
  tx: Transaction,
  id: number,
  { settings, events }: { settings: string; events: boolean | null },
): Promise<string | undefined> {
  const ifLoaded = <T>(then: T, otherwise: T) =>
    sql`case when ${sources.loadedAt} is null then ${otherwise} else ${then} end`
  return updateSource(tx, id, {
    settings,
    ...(events !== null && { isQuiet: ifLoaded(sql`${!events}`, sql`false`) }),
    leaseId: null,
    comparingAfter: null,
    compareAt: ifLoaded(sql`clock_timestamp()`, sql`null::timestamptz`),
    fromMs: ifLoaded(sql`${sources.fromMs}`, sql`0`),
    toMs: ifLoaded(sql`${sources.toMs}`, sql`null::bigint`),
    nextAt: sql`clock_timestamp()`,
  })
}

/**
 * Deletes the modification times of deals in the source, so that no record counts as older.
 * @system operators
 */
export async function forgetTimes(tx: Transaction, id: number): Promise<void> {
  await tx.update(sourceDeals).set({ modifiedMs: 0 }).where(eq(sourceDeals.sourceId, id))
}

/**
 * Schedules deals to move to the partners that their values map to. Revokes the lease, because its run uses
 * the old values. Returns the source's name, or undefined.
 * @system operators
 */
export async function startPlacing(
  tx: Transaction,
  id: number,
  events: boolean,
): Promise<string | undefined> {
  const now = sql`clock_timestamp()`
  return updateSource(tx, id, {
    placingAt: now,
    placingEvents: events,
    leaseId: null,
    nextAt: now,
  })
}

/**
 * Deletes a source but keeps its deals. Returns the name of the source, or undefined if it does not exist.
 * @system operators
 */
export async function deleteSource(tx: Transaction, id: number): Promise<string | undefined> {
  // Deletes proxied files. Copied files stay with their deals.
  await tx.execute(sql`delete from files using source_files known
    where known.source_id = ${id} and known.file_id = files.id and files.storage = 'crm'`)
  const [gone] = await tx.delete(sources).where(eq(sources.id, id)).returning({ name: sources.name })
  return gone?.name
}

/** Returns partners by mapped value. @system the sources */
export async function readPartnerValues(db: Database | Transaction, sourceId: number) {
  return db
    .select({
      value: sourcePartners.value,
      partnerId: sourcePartners.partnerId,
      slug: partners.slug,
      name: partners.name,
    })
    .from(sourcePartners)
    .innerJoin(partners, eq(partners.id, sourcePartners.partnerId))
    .where(eq(sourcePartners.sourceId, sourceId))
    .orderBy(asc(sourcePartners.value))
}

/** Maps a value to a partner, or to no partner if null. @system operators */
export async function setPartnerValue(
  tx: Transaction,
  sourceId: number,
  value: string,
  partnerId: number | null,
): Promise<void> {
  await tx
    .delete(sourcePartners)
    .where(and(eq(sourcePartners.sourceId, sourceId), eq(sourcePartners.value, value)))
  if (partnerId !== null) await tx.insert(sourcePartners).values({ sourceId, value, partnerId })
}

/**
 * Returns the values that are not mapped to a partner, including the empty value, with the number of waiting
 * deals.
 * @system operators
 */
export async function readUnknownPartners(db: Database, sourceId: number, limit: number) {
  return db
    .select({ value: sourceDeals.partnerValue, deals: count() })
    .from(sourceDeals)
    .leftJoin(
      sourcePartners,
      and(
        eq(sourcePartners.sourceId, sourceDeals.sourceId),
        eq(sourcePartners.value, sourceDeals.partnerValue),
      ),
    )
    .where(and(eq(sourceDeals.sourceId, sourceId), isNull(sourcePartners.value)))
    .groupBy(sourceDeals.partnerValue)
    .orderBy(sql`count(*) desc`, asc(sourceDeals.partnerValue))
    .limit(limit)
}

/** Returns records with problems: rejected records first, then the newest. @system operators */
export const readRejects = (db: Database, sourceId: number, limit: number) =>
  db
    .select({
      id: sourceRejects.recordId,
      name: sourceRejects.name,
      reason: sourceRejects.reason,
      isWritten: sourceRejects.isWritten,
      at: sourceRejects.at,
    })
    .from(sourceRejects)
    .where(eq(sourceRejects.sourceId, sourceId))
    .orderBy(sourceRejects.isWritten, sql`${sourceRejects.at} desc`, asc(sourceRejects.recordId))
    .limit(limit)

/** Returns the longest delay in the last week until a change became visible in a source. @system operators */
export async function readDelay(db: Database, sourceId: number): Promise<number> {
  const [row] = await db
    .select({ delayMs: sql<number>`coalesce(max(${sourceDelays.delayMs}), 0)::float8` })
    .from(sourceDelays)
    .where(
      and(
        eq(sourceDelays.sourceId, sourceId),
        sql`${sourceDelays.day} > current_date - ${delayDays}::integer`,
      ),
    )
  return Math.max(row?.delayMs ?? 0, delayMinMs)
}

/**
 * Returns the numbers of a source's rejected records, records with unreadable values, and deals.
 * @system operators
 */
export async function countOfSource(db: Database, sourceId: number) {
  const ofSource = eq(sourceRejects.sourceId, sourceId)
  const [rejected, unreadable, deals] = await Promise.all([
    db.$count(sourceRejects, and(ofSource, eq(sourceRejects.isWritten, false))),
    db.$count(sourceRejects, and(ofSource, sourceRejects.isWritten)),
    db.$count(sourceDeals, eq(sourceDeals.sourceId, sourceId)),
  ])
  return { rejected, unreadable, deals }
}

/** Returns the encryption context of a source's secret, so that it decrypts only for that source. */
export const ownerOfSecret = (sourceId: number) => `source ${sourceId}`

/** Returns the encryption context of the CRM's webhook signing secret. */
export const ownerOfSigningSecret = (sourceId: number) => `webhooks of source ${sourceId}`

/** A source that this process may read as long as no other run begins. */
export type LeasedSource = Omit<typeof sources.$inferSelect, 'leaseId'> & { leaseId: string }

/** Proof that no other run of the source has begun. */
export type SourceLease = Pick<LeasedSource, 'id' | 'leaseId'>

/**
 * Begins a run of a source and ends any other run. Returns undefined if the source is paused or deleted.
 * @system the sources
 */
export async function beginRun(db: Database, id: number): Promise<LeasedSource | undefined> {
  const [leased] = await db
    .update(sources)
    .set({ leaseId: randomUUID() })
    .where(and(eq(sources.id, id), isNull(sources.pausedAt)))
    .returning()
  return leased as LeasedSource | undefined
}

const isHeld = ({ id, leaseId }: SourceLease) => and(eq(sources.id, id), eq(sources.leaseId, leaseId))

/**
 * Ends a successful run. The source is due again after `pollMs`, or earlier if requested during the run.
 * @proof the lease
 */
export async function endRun(
  db: Database,
  lease: SourceLease & Pick<LeasedSource, 'nextAt'>,
  pollMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      leaseId: null,
      succeededAt: sql`clock_timestamp()`,
      problem: null,
      failingSince: null,
      nextAt: sql`case when date_trunc('milliseconds', ${sources.nextAt}) > ${lease.nextAt.toISOString()}
        then ${sources.nextAt} else clock_timestamp() + ${pollMs} * interval '1 ms' end`,
    })
    .where(isHeld(lease))
}

/** Ends a failed run, whose job is retried. @proof the lease */
export async function recordFailure(db: Database, lease: SourceLease, problem: string): Promise<void> {
  await db
    .update(sources)
    .set({
      leaseId: null,
      problem,
      failingSince: sql`coalesce(${sources.failingSince}, clock_timestamp())`,
    })
    .where(isHeld(lease))
}
