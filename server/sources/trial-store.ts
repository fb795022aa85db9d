import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Transaction } from '#db/client.ts'
import { sourceTrials } from '#db/schema/sources.ts'
import { SourceSettings } from './mapping.ts'
import type { TrialResult } from './try-mapping.ts'

interface OpenTrial {
  sourceId: number
  /** Time of the request, which distinguishes this trial from later ones. */
  askedAt: Date
  settings: SourceSettings
}

/** Defaults for fields that are missing from results of older versions. */
const nothing = { unreadable: 0, filled: [], stages: [], values: [], otherValues: 0 }

/** Requests a trial of a mapping, replacing any other trial. @system operators */
export async function requestTrial(
  tx: Transaction,
  sourceId: number,
  settings: SourceSettings,
): Promise<void> {
  const values = { sourceId, settings: JSON.stringify(settings), askedAt: new Date(), read: 0, result: null }
  await tx
    .insert(sourceTrials)
    .values(values)
    .onConflictDoUpdate({ target: sourceTrials.sourceId, set: values })
}

/** Deletes the trial of a source's mapping. @system operators */
export async function deleteTrial(tx: Transaction, sourceId: number): Promise<void> {
  await tx.delete(sourceTrials).where(eq(sourceTrials.sourceId, sourceId))
}

/** Returns the mapping on trial, with its result if complete. @system operators */
export async function readTrial(db: Database, sourceId: number) {
  const [row] = await db.select().from(sourceTrials).where(eq(sourceTrials.sourceId, sourceId))
  if (row === undefined) return null
  const { mapping, partnerProperty } = SourceSettings.parse(JSON.parse(row.settings))
  const result = row.result === null ? null : { ...nothing, ...(JSON.parse(row.result) as TrialResult) }
  return { mapping, partnerProperty, askedAt: row.askedAt, read: row.read, result }
}

/** Returns the mapping to try. @system the sources */
export async function readOpenTrial(db: Database, sourceId: number): Promise<OpenTrial | undefined> {
  const [row] = await db
    .select()
    .from(sourceTrials)
    .where(and(eq(sourceTrials.sourceId, sourceId), isNull(sourceTrials.result)))
  if (row === undefined) return undefined
  return { sourceId, askedAt: row.askedAt, settings: SourceSettings.parse(JSON.parse(row.settings)) }
}

const isSame = ({ sourceId, askedAt }: OpenTrial) =>
  and(
    eq(sourceTrials.sourceId, sourceId),
    sql`date_trunc('milliseconds', ${sourceTrials.askedAt}) = ${askedAt.toISOString()}`,
  )

/**
 * Records the number of records read. Returns false if the trial was replaced or canceled.
 * @system the sources
 */
export async function recordTrialRead(db: Database, trial: OpenTrial, read: number): Promise<boolean> {
  const updated = await db
    .update(sourceTrials)
    .set({ read })
    .where(isSame(trial))
    .returning({ id: sourceTrials.sourceId })
  return updated.length > 0
}

/** Records the changes that a mapping would make. @system the sources */
export async function endTrial(db: Database, trial: OpenTrial, result: TrialResult): Promise<void> {
  await db
    .update(sourceTrials)
    .set({ result: JSON.stringify(result), read: result.read })
    .where(isSame(trial))
}
