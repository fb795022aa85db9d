import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Fragment, ISql, TransactionSql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { partnerStages, stages } from '#db/schema/stages.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { type StageMove, type StagedDeal, moveStage, placeNewStages, placeStages } from './order.ts'
import type { StagePlace } from './place.ts'
import { StageMatcher } from './spelling.ts'
import {
  type Stage,
  type StageKind,
  compareStages,
  isMoving,
  placeOf,
  orderMax,
  stageKinds,
  stageNameMaxLength,
  stagesMax,
  toneOf,
} from './stage.ts'
import type { SetStage } from './wire.ts'

/** Returns the current and former stages of the tenant's deals, in display order. */
export async function readStages(db: Database, tenant: TenantScope): Promise<Stage[]> {
  if (isEveryone(tenant)) return readAllStages(db)
  const mine = db
    .select({ stage: partnerStages.stage })
    .from(partnerStages)
    .where(eq(partnerStages.partnerId, tenant))
  return (await db.select().from(stages).where(inArray(stages.name, mine)))
    .map(toStage)
    .toSorted(compareStages)
}

/** Returns a query for the names of stages of matching kinds. `is` is a function such as `isWon`. */
export const stagesThat = (sql: ISql, is: (kind: StageKind) => boolean): Fragment =>
  sql`select name from stages where kind = any(${stageKinds.filter(is)}::text[])`

/** Returns the stages of all partners, in display order. @system operators */
export async function readAllStages(db: Database | Transaction): Promise<Stage[]> {
  return (await db.select().from(stages)).map(toStage).toSorted(compareStages)
}

/** Returns the stages of all partners in display order, with the CRM's descriptions. @system operators */
export async function readDescribedStages(db: Database): Promise<DescribedStage[]> {
  const hasDeals = sql<boolean>`exists (select from deals where stage = ${stages.name})`
  return (await db.select({ stage: stages, hasDeals }).from(stages))
    .map(({ stage, hasDeals }) => ({
      ...toStage(stage),
      probability: stage.probability,
      isPlaceProposed: isMoving(stage.kind) && stage.place === null,
      hasDeals,
    }))
    .toSorted(compareStages)
}

/** A stage with its win probability in the CRM, from 0 to 1, or null if unknown. */
type DescribedStage = Stage & {
  probability: number | null
  /** True if the stage's position was suggested by its name and not confirmed. */
  isPlaceProposed: boolean
  /** True if a deal of any partner is in the stage. Only stages without deals can be removed or merged. */
  hasDeals: boolean
}

/** Returns a stage for display. The color is derived unless an operator chose one. */
const toStage = ({ name, kind, order, tone, place }: typeof stages.$inferSelect): Stage => ({
  name,
  kind,
  place: placeIn(place, name, kind),
  order,
  tone: tone === '' ? toneOf(name, kind) : tone,
})

/**
 * Returns the position of a stage in the process: the operator's choice or, by default, the position implied
 * by its name.
 */
function placeIn(chosen: StagePlace | 'none' | null, name: string, kind: StageKind): StagePlace | null {
  if (chosen === null) return placeOf(name, kind)
  return chosen === 'none' ? null : chosen
}

// Long enough to cover writes prepared before the change, and worker downtime.
const changedMinutes = 30

/** Returns the stages whose kind or position has changed recently. @system the worker */
export async function readChangedStages(db: Database): Promise<Stage[]> {
  const isRecent = sql`${stages.meaningChangedAt} > now() - ${changedMinutes} * interval '1 minute'`
  return (await db.select().from(stages).where(isRecent)).map(toStage)
}

/**
 * Saves an operator's changes to a stage. Omitted fields keep their values. Returns the stage, or undefined
 * if unknown.
 * @system operators
 */
export async function saveStage(
  tx: Transaction,
  { name, tone, ...meaning }: SetStage,
): Promise<Stage | undefined> {
  const isMeaning = meaning.kind !== undefined || meaning.place !== undefined
  const [saved] = await tx
    .update(stages)
    .set({
      name,
      ...meaning,
      ...(isMeaning && { meaningChangedAt: sql`now()` }),
      ...(tone !== undefined && { tone: tone === 'auto' ? '' : tone }),
    })
    .where(eq(stages.name, name))
    .returning()
  return saved && toStage(saved)
}

/**
 * Saves a move of a stage. Returns the moved stage, or undefined if the order has changed since the operator
 * saw it.
 * @system operators
 */
export async function saveMove(tx: Transaction, move: StageMove): Promise<Stage | undefined> {
  await tx.execute(sql`lock table stages in share row exclusive mode`)
  const known = await tx.select().from(stages)
  const orders = moveStage(known, move)
  if (orders === null) return undefined
  for (const [name, order] of orders) await tx.update(stages).set({ order }).where(eq(stages.name, name))
  const moved = known.find(({ name }) => name === move.name)!
  return toStage({ ...moved, order: orders.get(move.name) ?? moved.order })
}

/**
 * Saves the positions suggested by the names of these stages, unless an operator has chosen a position.
 * Returns the saved stages.
 * @system operators
 */
export async function confirmPlaces(tx: Transaction, names: readonly string[]): Promise<Stage[]> {
  const isProposed = and(inArray(stages.name, [...names]), isNull(stages.place))
  const proposed = (await tx.select().from(stages).where(isProposed).for('update'))
    .map(toStage)
    .filter(({ kind }) => isMoving(kind))
    .toSorted(compareStages)
  for (const { name, place } of proposed)
    await tx
      .update(stages)
      .set({ place: place ?? 'none' })
      .where(eq(stages.name, name))
  return proposed
}

/**
 * Returns the number of deals in a stage. Locks writes of deals, so the number stays correct until the
 * transaction ends.
 * @system operators
 */
export async function countDealsLocked(tx: Transaction, name: string): Promise<number> {
  await tx.execute(sql`select from deal_lists where id = 0 for update`)
  const [row] = await tx.execute<{ count: number }>(
    sql`select count(*)::integer as count from deals where stage = ${name}`,
  )
  return row!.count
}

/** Deletes a stage. Returns the deleted stage, or undefined if unknown. @system operators */
export async function deleteStage(tx: Transaction, name: string): Promise<Stage | undefined> {
  const [deleted] = await tx.delete(stages).where(eq(stages.name, name)).returning()
  return deleted && toStage(deleted)
}

/**
 * Returns which of these stages no deal is in, except stages that a CRM describes. `moves` contains how many
 * deals each stage gains or loses first.
 * @system imports
 */
export async function findUnused(
  db: Pick<Database, 'execute'>,
  names: readonly string[],
  moves: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await db.execute<{ name: string; count: number }>(sql`
    select name, (select count(*)::integer from deals where stage = name) as count from stages
    where name = any(${sql.param(names)}::text[]) and probability is null order by name`)
  return rows.flatMap(({ name, count }) => (count + (moves.get(name) ?? 0) <= 0 ? [name] : []))
}

/** Deletes those of these stages that `findUnused` returns. Returns their names. @system imports */
export function deleteUnused(db: Database, names: readonly string[]): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select from deal_lists where id = 0 for update`)
    const unused = await findUnused(tx, names, new Map())
    if (unused.length > 0) await tx.delete(stages).where(inArray(stages.name, unused))
    return unused
  })
}

/**
 * Deletes a stage, and saves its name and spellings as spellings of another stage. Returns the other stage,
 * or undefined if either stage is unknown.
 * @system operators
 */
export async function saveMerge(tx: Transaction, name: string, into: string): Promise<Stage | undefined> {
  const [deleted] = await tx.delete(stages).where(eq(stages.name, name)).returning()
  if (deleted === undefined) return undefined
  const [target] = await tx
    .update(stages)
    .set({
      spellings: sql`${stages.spellings} || ${sql.param([name, ...deleted.spellings], stages.spellings)}`,
    })
    .where(eq(stages.name, into))
    .returning()
  return target && toStage(target)
}

/**
 * Inserts the new stages of these deals, up to the maximum. Existing stages move to make room in the order.
 * @system imports
 */
async function insertStages(sql: TransactionSql, deals: readonly StagedDeal[]): Promise<void> {
  await sql`lock table stages in share row exclusive mode`
  const known = await sql<(typeof stages.$inferSelect)[]>`select name, kind, "order", tone, place from stages`
  const { fresh, orders } = placeNewStages(known.map(toStage), deals)
  const rows = [...known, ...fresh.slice(0, Math.max(0, stagesMax - known.length))].map(({ name, kind }) => ({
    name,
    kind,
    order: orders.get(name)!,
  }))
  await sql`
    insert into stages as known (name, kind, "order", tone)
    select name, kind, least("order", ${orderMax}), '' from json_to_recordset(${JSON.stringify(rows)}::json)
      as placed (name text, kind text, "order" integer)
    on conflict (name) do update set "order" = excluded."order" where known."order" <> excluded."order"`
}

/** Inserts pairs of partner and stage for stages that are stored. @system imports */
async function insertPartnerStages(sql: TransactionSql, placed: readonly PlacedStage[]): Promise<void> {
  await sql`
    insert into partner_stages (partner_id, stage)
    select distinct partner_id, stage
    from json_to_recordset(${JSON.stringify(placed.map(({ partnerId, stage }) => ({ partner_id: partnerId, stage })))}::json) as placed (partner_id integer, stage text)
    where partner_id is not null and stage in (select name from stages)
    on conflict do nothing`
}

/** A stage in use and the partner of its deal, or null if the deal has no partner. */
interface PlacedStage {
  stage: string
  partnerId: number | null
}

// Maximum number of remembered pairs of partner and stage. A process that exceeds it is receiving text that
// is not stage names.
const seenMax = 50_000

const seenByPool = new WeakMap<object, Set<string>>()

const keyOf = ({ partnerId, stage }: PlacedStage) => `${partnerId} ${stage}`

/** Remembers committed stages, so that later writes do not insert the same stages again. @system imports */
export function rememberStages({ $client }: Pick<Database, '$client'>, keys: Iterable<string>): void {
  const seen = seenByPool.get($client) ?? new Set()
  if (seen.size > seenMax) seen.clear()
  for (const key of keys) seen.add(key)
  seenByPool.set($client, seen)
}

/**
 * Inserts stages that this process has not seen before, overall and per partner. Returns the values to
 * remember after the commit.
 * @system imports
 */
export async function addStages(
  { $client }: Pick<Database, '$client'>,
  sql: TransactionSql,
  deals: readonly (PlacedStage & StagedDeal)[],
): Promise<string[]> {
  const seen = seenByPool.get($client)
  const unseen = new Map<string, PlacedStage>()
  const staged = deals.filter(({ stage }) => stage !== '' && stage.length <= stageNameMaxLength)
  if (staged.length === 0) return []
  // An operator may have removed a stage that this process remembers.
  const stored = new Set((await sql<{ name: string }[]>`select name from stages`).map(({ name }) => name))
  const isFull = stored.size >= stagesMax
  for (const { stage, partnerId } of staged) {
    const key = keyOf({ partnerId, stage })
    const isGone = !stored.has(stage) && !isFull
    if (isGone || seen?.has(key) !== true) unseen.set(key, { partnerId, stage })
  }
  if (unseen.size === 0) return []
  if (!isFull && staged.some(({ stage }) => !stored.has(stage))) await insertStages(sql, staged)
  await insertPartnerStages(sql, [...unseen.values()])
  return [...unseen.keys()]
}

/** Returns the names of all stages, in display order. @system imports */
export const readStageNames = async (db: Database): Promise<string[]> =>
  (await readAllStages(db)).map(({ name }) => name)

/**
 * Returns a matcher of incoming names that knows all stages and the former names merged into them. For
 * `chosen` and `asks`, see `StageMatcher`.
 * @system imports
 */
export async function makeStageMatcher(
  db: Database,
  chosen?: Readonly<Record<string, string>>,
  asks?: boolean,
): Promise<StageMatcher> {
  const known = (await db.select().from(stages)).toSorted(compareStages)
  const merged = known.flatMap(({ name, spellings }) =>
    spellings.map((spelling) => [spelling, name] as const),
  )
  return new StageMatcher(
    known.map(({ name }) => name),
    chosen,
    asks,
    new Map(merged),
  )
}

type Described = Pick<DescribedStage, 'name' | 'kind' | 'order' | 'probability'>

/**
 * Saves the CRM's kind and probability of new or `changed` stages under their local names. Existing orders
 * and chosen colors do not change.
 * @system the sources
 */
export async function saveDescribedStages(
  { $client: sql }: Pick<Database, '$client'>,
  described: readonly (Described & { pipeline?: string })[],
  changed: ReadonlySet<string> = new Set(described.map(({ name }) => name)),
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`lock table stages in share row exclusive mode`
    const known = await tx<Described[]>`select name, kind, "order", probability from stages`
    const byName = new Map(known.map((stage) => [stage.name, stage]))
    for (const { name, kind, order, probability } of described) {
      const stored = byName.get(name)
      if (stored === undefined || changed.has(name))
        byName.set(name, { name, kind, probability, order: stored?.order ?? order })
    }
    const kinds = new Map([...byName.values()].map(({ name, kind }) => [name, kind]))
    const withKind = <S extends { name: string }>(stages: readonly S[]) =>
      stages.map((stage) => ({ ...stage, kind: kinds.get(stage.name)! }))
    const orders = placeStages(withKind(known), withKind(described))
    const rows = [...byName.values()].map((stage) => ({ ...stage, order: orders.get(stage.name)! }))
    await tx`
      insert into stages as known (name, kind, "order", tone, probability)
      select name, kind, least("order", ${orderMax}), '', probability
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as described (name text, kind text, "order" integer, probability double precision)
      on conflict (name) do update set kind = excluded.kind, "order" = excluded."order",
        probability = excluded.probability,
        meaning_changed_at = case when known.kind = excluded.kind then known.meaning_changed_at else now() end
      where (known.kind, known."order", known.probability) is distinct from
        (excluded.kind, excluded."order", excluded.probability)`
  })
}
