import { asc, eq } from 'drizzle-orm'
import type { TransactionSql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { stages } from '#db/schema/stages.ts'
import { type Stage, compareStages, stageNameMaxLength, stagesMax, stagesOfDeals } from './stage.ts'

/**
 * Returns all stages in the order in which they are shown.
 * @proof nothing: stages are the installer's own words, the same for every partner
 */
export async function readStages(db: Database | Transaction): Promise<Stage[]> {
  return (await db.select().from(stages).orderBy(asc(stages.name)).limit(stagesMax)).toSorted(compareStages)
}

/** Returns the stage of this name, locked until the transaction ends. @system operators */
export async function lockStage(tx: Transaction, name: string): Promise<Stage | undefined> {
  const [stage] = await tx.select().from(stages).where(eq(stages.name, name)).for('update')
  return stage
}

/** Saves what an operator says of a stage. @system operators */
export async function saveStage(tx: Transaction, { name, ...meaning }: Stage): Promise<void> {
  await tx.update(stages).set(meaning).where(eq(stages.name, name))
}

/** Inserts those of the stages that are new, as long as there is room for more, whoever inserts them too. @system imports */
async function insertStages(sql: TransactionSql, fresh: readonly Stage[]): Promise<void> {
  await sql`
    insert into stages (name, kind, "order", tone)
    select * from json_to_recordset(${JSON.stringify(fresh)}::json) as fresh (name text, kind text, "order" integer, tone text)
    where name not in (select name from stages) limit greatest(0, ${stagesMax} - (select count(*) from stages))
    on conflict (name) do nothing`
}

// A process that has seen more is given texts that are no stages.
const seenMax = 1000

const seenByPool = new WeakMap<object, Set<string>>()

/** Returns those of the stages that this process has not seen committed: only they can be new. */
function unseenStages({ $client }: Pick<Database, '$client'>, names: readonly string[]): Set<string> {
  const seen = seenByPool.get($client)
  return new Set(
    names.filter((name) => name !== '' && name.length <= stageNameMaxLength && seen?.has(name) !== true),
  )
}

/** Remembers that stages are committed, so that they cost the next writes nothing. @system imports */
export function rememberStages({ $client }: Pick<Database, '$client'>, names: Iterable<string>): void {
  const seen = seenByPool.get($client) ?? new Set()
  if (seen.size > seenMax) seen.clear()
  for (const name of names) seen.add(name)
  seenByPool.set($client, seen)
}

/**
 * Inserts the stages that these deals are the first to be in, as far as this process knows. Returns their names,
 * to be remembered once they are committed.
 * @system imports
 */
export async function addStages<Deal extends { stage?: string | null }>(
  db: Pick<Database, '$client'>,
  sql: TransactionSql,
  deals: readonly Deal[],
  progressOf: (deal: Deal) => number,
): Promise<Set<string>> {
  const unseen = unseenStages(
    db,
    deals.map(({ stage }) => stage ?? ''),
  )
  const staged = deals.flatMap((deal) =>
    unseen.has(deal.stage ?? '') ? [{ stage: deal.stage!, progress: progressOf(deal) }] : [],
  )
  if (staged.length > 0) await insertStages(sql, stagesOfDeals(staged))
  return unseen
}
