import { randomUUID } from 'node:crypto'
import { and, asc, count, eq, getTableColumns, isNull, lte, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { partners } from '#db/schema/accounts.ts'
import { sourceDeals, sourcePartners, sourceRejects, sources } from '#db/schema/sources.ts'
import { sourceLeaseMs } from './policy.ts'

type Row = typeof sources.$inferSelect

/** A source without what is secret about it. */
export type StoredSource = Omit<Row, 'secret' | 'clientSecret' | 'claim' | 'aliveAt'> & {
  isRunning: boolean
  /** Whether webhooks of the CRM can be verified. */
  hasSigningSecret: boolean
}

/** A source that this process may read, as long as its heartbeats last. */
export type LeasedSource = Omit<Row, 'claim'> & { claim: string }

const isAlive = (lease: number) =>
  sql`coalesce(${sources.aliveAt} > clock_timestamp() - ${lease} * interval '1 ms', false)`

const {
  secret: _secret,
  clientSecret: _client,
  claim: _claim,
  aliveAt: _alive,
  ...columns
} = getTableColumns(sources)
const shown = {
  ...columns,
  isRunning: sql<boolean>`${isAlive(sourceLeaseMs)}`,
  hasSigningSecret: sql<boolean>`${sources.clientSecret} is not null`,
}

/** Returns all sources by name. @system operators */
export const readSources = (db: Database): Promise<StoredSource[]> =>
  db.select(shown).from(sources).orderBy(asc(sources.name))

/** Returns the source with this id, or undefined. @system operators */
export async function findSource(db: Database | Transaction, id: number): Promise<StoredSource | undefined> {
  const [found] = await db.select(shown).from(sources).where(eq(sources.id, id))
  return found
}

/** Returns the encrypted secret of a source, or undefined when it does not exist. @system operators */
export async function readSecret(db: Database, id: number): Promise<string | undefined> {
  const [found] = await db.select({ secret: sources.secret }).from(sources).where(eq(sources.id, id))
  return found?.secret
}

/**
 * Inserts a source and returns its id; `encryptFor` is given the id, which the secret belongs to. Undefined when the name is
 * taken. @system operators
 */
export async function insertSource(
  tx: Transaction,
  values: Pick<Row, 'kind' | 'name' | 'settings' | 'pollS'>,
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

/** Changes a source. Returns its name, or undefined when it does not exist. @system operators */
export async function updateSource(
  tx: Transaction,
  id: number,
  values: Partial<
    Pick<
      Row,
      | 'secret'
      | 'clientSecret'
      | 'settings'
      | 'pollS'
      | 'pausedAt'
      | 'nextAt'
      | 'compareAt'
      | 'removalsApproved'
    >
  >,
): Promise<string | undefined> {
  const [changed] = await tx
    .update(sources)
    .set(values)
    .where(eq(sources.id, id))
    .returning({ name: sources.name })
  return changed?.name
}

/**
 * Changes what is read and how. Whoever reads the source loses it, and everything is read again: by a first load that has not
 * ended, or by a comparison. Returns the source's name, or undefined when it does not exist. @system operators
 */
export async function startAnew(
  tx: Transaction,
  id: number,
  { settings, events }: { settings: string; events: boolean | null },
): Promise<string | undefined> {
  const ifLoaded = <T>(then: T, otherwise: T) =>
    sql`case when ${sources.loadedAt} is null then ${otherwise} else ${then} end`
  const [changed] = await tx
    .update(sources)
    .set({
      settings,
      ...(events !== null && { isQuiet: ifLoaded(sql`${!events}`, sql`false`) }),
      claim: null,
      aliveAt: null,
      comparingAfter: null,
      compareAt: ifLoaded(sql`clock_timestamp()`, sql`null::timestamptz`),
      fromMs: ifLoaded(sql`${sources.fromMs}`, sql`0`),
      toMs: ifLoaded(sql`${sources.toMs}`, sql`null::bigint`),
      afterId: ifLoaded(sql`${sources.afterId}`, sql`0`),
      nextAt: sql`clock_timestamp()`,
    })
    .where(eq(sources.id, id))
    .returning({ name: sources.name })
  return changed?.name
}

/**
 * Has deals moved to the partners that their values mean. Whoever reads the source loses it, because he goes by what they
 * meant. Returns the source's name, or undefined. @system operators
 */
export async function startPlacing(
  tx: Transaction,
  id: number,
  events: boolean,
): Promise<string | undefined> {
  const now = sql`clock_timestamp()`
  const [changed] = await tx
    .update(sources)
    .set({ placingAt: now, placingEvents: events, claim: null, aliveAt: null, nextAt: now })
    .where(eq(sources.id, id))
    .returning({ name: sources.name })
  return changed?.name
}

/** Deletes a source; its deals stay. Returns its name, or undefined when it does not exist. @system operators */
export async function deleteSource(tx: Transaction, id: number): Promise<string | undefined> {
  // What the CRM held is not here any more; what was copied stays with its deal.
  await tx.execute(sql`delete from files using source_files known
    where known.source_id = ${id} and known.file_id = files.id and files.storage = 'crm'`)
  const [gone] = await tx.delete(sources).where(eq(sources.id, id)).returning({ name: sources.name })
  return gone?.name
}

/** Returns the partners that values mean, by value. @system the sources */
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

/** Sets which partner a value means; null: none that is known. @system operators */
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

/** Returns the values that no partner is known of, with how many deals wait for each. @system operators */
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
    .where(
      and(
        eq(sourceDeals.sourceId, sourceId),
        isNull(sourcePartners.value),
        sql`${sourceDeals.partnerValue} <> ''`,
      ),
    )
    .groupBy(sourceDeals.partnerValue)
    .orderBy(sql`count(*) desc`, asc(sourceDeals.partnerValue))
    .limit(limit)
}

/** Returns rejected records, the newest first. @system operators */
export const readRejects = (db: Database, sourceId: number, limit: number) =>
  db
    .select({
      id: sourceRejects.recordId,
      name: sourceRejects.name,
      reason: sourceRejects.reason,
      at: sourceRejects.at,
    })
    .from(sourceRejects)
    .where(eq(sourceRejects.sourceId, sourceId))
    .orderBy(sql`${sourceRejects.at} desc`, asc(sourceRejects.recordId))
    .limit(limit)

/** Returns how many records are rejected, and how many deals come from the source. @system operators */
export async function countOfSource(db: Database, sourceId: number) {
  const [rejected, deals] = await Promise.all([
    db.$count(sourceRejects, eq(sourceRejects.sourceId, sourceId)),
    db.$count(sourceDeals, eq(sourceDeals.sourceId, sourceId)),
  ])
  return { rejected, deals }
}

/**
 * Leases a source that is due, if there is one that no living process reads. Of several callers one gets it.
 * @system the sources
 */
export async function leaseDueSource(db: Database, lease = sourceLeaseMs): Promise<LeasedSource | undefined> {
  const due = db
    .select({ id: sources.id })
    .from(sources)
    .where(
      and(
        isNull(sources.pausedAt),
        lte(sources.nextAt, sql`clock_timestamp()`),
        or(isNull(sources.claim), sql`not ${isAlive(lease)}`),
      ),
    )
    .orderBy(asc(sources.nextAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [leased] = await db
    .update(sources)
    .set({ claim: randomUUID(), aliveAt: sql`clock_timestamp()` })
    .where(sql`${sources.id} in ${due}`)
    .returning()
  return leased as LeasedSource | undefined
}

/** What proves that a source is still leased by this process. */
export type HeldSource = Pick<LeasedSource, 'id' | 'claim'>

const isHeld = ({ id, claim: held }: HeldSource) => and(eq(sources.id, id), eq(sources.claim, held))

/** Records a heartbeat. Returns false when the source is no longer ours, or was paused. @proof the claim */
export async function keepLease(db: Database, held: HeldSource): Promise<boolean> {
  const kept = await db
    .update(sources)
    .set({ aliveAt: sql`clock_timestamp()` })
    .where(and(isHeld(held), isNull(sources.pausedAt)))
    .returning({ id: sources.id })
  return kept.length > 0
}

/**
 * Gives a source back after a run that went well; what was asked for meanwhile is done at once. @proof the claim
 */
export async function releaseDone(
  db: Database,
  held: HeldSource & Pick<LeasedSource, 'nextAt'>,
  pollMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      claim: null,
      aliveAt: null,
      succeededAt: sql`clock_timestamp()`,
      problem: null,
      failingSince: null,
      failures: 0,
      nextAt: sql`case when date_trunc('milliseconds', ${sources.nextAt}) > ${held.nextAt.toISOString()}
        then ${sources.nextAt} else clock_timestamp() + ${pollMs} * interval '1 ms' end`,
    })
    .where(isHeld(held))
}

/** Gives a source back after a run that failed. @proof the claim */
export async function releaseFailed(
  db: Database,
  held: HeldSource,
  problem: string,
  delayMs: number,
): Promise<void> {
  await db
    .update(sources)
    .set({
      claim: null,
      aliveAt: null,
      problem,
      failingSince: sql`coalesce(${sources.failingSince}, clock_timestamp())`,
      failures: sql`${sources.failures} + 1`,
      nextAt: sql`clock_timestamp() + ${delayMs} * interval '1 ms'`,
    })
    .where(isHeld(held))
}

/** Gives a source back as it is, for another process to go on at once. @proof the claim */
export async function releaseUnfinished(db: Database, held: HeldSource): Promise<void> {
  await db.update(sources).set({ claim: null, aliveAt: null }).where(isHeld(held))
}
