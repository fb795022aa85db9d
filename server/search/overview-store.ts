import type { Fragment, ISql } from 'postgres'
import { type ReadDatabase, withoutScans, type Database } from '#db/client.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { narrowMax } from '../deals/policy.ts'
import { type StageOf, compareStages, isClosed, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { toCents } from '../values/units.ts'
import { utc } from '../values/zone.ts'
import { candidateQueries } from './candidate-store.ts'
import { type Query, conditionOf } from './condition-store.ts'
import {
  type CountAmong,
  countedBy,
  countedMax,
  firstDeals,
  withMatches,
  readDealCount,
  scanMax,
  type DealCount,
} from './count-store.ts'
import { countPlaced } from './map-store.ts'
import { type TotalsDeps, type TotalsKind, countingDb, readOrCountTotals, readTotals } from './read-totals.ts'
import type { DealSnapshot } from './totals-store.ts'
import type { BoardColumn, DealFilter } from './wire.ts'

interface Choice {
  value: string
  count: number
}

/**
 * Filter values that occur in the tenant's deals. Stages are in stage order, other values most common first.
 */
export interface FilterChoices extends Record<'stages' | ValueKind | 'people', Choice[]> {
  /** Set only for viewers of all partners. */
  partners: Choice[]
  /** Time of the counts (ISO 8601) if older than the list, or null if current. */
  asOf: string | null
}

/** Maximum number of people listed. Users find more people by typing their names. */
const peopleMax = 500

type ValueKind = 'pipelines' | 'states' | 'utilities' | 'lenders'

/** Values that occur in the tenant's deals, most common first. An empty string stands for an unknown value. */
interface ValueTotals extends Record<ValueKind | 'people', Choice[]> {
  stages: (Choice & { amount: number; withoutAmount: number })[]
  /** Set only for viewers of all partners. The id is null for deals without a partner. */
  partners: { id: number | null; count: number }[]
}

/** Totals for the filter options and for the unfiltered board. */
export const valueTotals: TotalsKind<ValueTotals> = {
  name: 'values-3',
  isByZone: false,
  compute: countValues,
}

async function countValues({ sql, tenant }: DealSnapshot): Promise<ValueTotals> {
  const mine = isWithin(sql, tenant)
  const [values, people, partners] = await Promise.all([
    sql<(ValueTotals['stages'][number] & { kind: 'stages' | ValueKind })[]>`
      select
        case when grouping(stage) = 0 then 'stages' when grouping(pipeline) = 0 then 'pipelines'
          when grouping(state) = 0 then 'states' when grouping(utility_name) = 0 then 'utilities' else 'lenders'
        end as kind,
        coalesce(stage, pipeline, state, utility_name, lender, '') as value, count(*)::float8 as count,
        coalesce(sum(amount), 0)::float8 as amount,
        (count(*) filter (where amount is null))::float8 as "withoutAmount"
      from deals where ${mine}
      group by grouping sets ((stage), (pipeline), (state), (utility_name), (lender)) order by count desc, value`,
    sql<Choice[]>`
      select name as value, sum(count)::float8 as count
      from (select unnest(people) as id, count(*) from deals where ${mine} group by 1) role
        join people using (id)
      group by name order by count desc, value limit ${peopleMax}`,
    isEveryone(tenant)
      ? sql<{ id: number | null; count: number }[]>`
      select partner_id as id, count(*)::float8 as count from deals group by 1`
      : [],
  ])
  const of = (kind: ValueKind) =>
    values.filter((value) => value.kind === kind).map(({ value, count }) => ({ value, count }))
  return {
    stages: values.filter(({ kind }) => kind === 'stages').map(({ kind: _kind, ...stage }) => stage),
    pipelines: of('pipelines'),
    states: of('states'),
    utilities: of('utilities'),
    lenders: of('lenders'),
    people: [...people],
    partners: [...partners],
  }
}

/** Returns the values that occur in the tenant's deals. An empty string stands for an unknown value. */
export async function readChoices(deps: TotalsDeps, tenant: TenantScope): Promise<FilterChoices> {
  const { db } = deps
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, valueTotals, { tenant, zone: utc }),
    readStages(db, tenant),
  ])
  const stageOf = makeStageOf(stages)
  return {
    ...totals,
    stages: totals.stages
      .map(({ value, count }) => ({ value, count }))
      .toSorted((a, b) => compareStages(stageOf(a.value), stageOf(b.value))),
    partners: isEveryone(tenant) ? await nameOwners(db, totals.partners) : [],
    asOf,
  }
}

async function nameOwners({ $client: sql }: Database, owners: ValueTotals['partners']): Promise<Choice[]> {
  const counts = JSON.stringify(owners)
  return sql<Choice[]>`
    select coalesce(name, '') as value, sum(count)::float8 as count
    from json_to_recordset(${counts}::json) as owned (id integer, count float8) left join partners using (id)
    group by 1 order by 1`
}

/** Returns the matching deals by stage, in stage order. Deals whose stage is null or empty form one group. */
export async function readBoard(
  deps: TotalsDeps,
  query: Query,
): Promise<{ columns: BoardColumn[]; asOf: string | null }> {
  const { tenant, filter } = query
  const [stored, stages] = await Promise.all([
    isByStage(filter) ? readTotals(deps, valueTotals, query) : null,
    readStages(deps.db, tenant),
  ])
  const stageOf = makeStageOf(stages)
  const totals =
    stored === null
      ? await countByStage(countingDb(deps, tenant), query)
      : storedStages(stored.totals, filter, stageOf)
  return {
    columns: totals
      .map((total) => ({ ...total, of: stageOf(total.stage) }))
      .toSorted((a, b) => compareStages(a.of, b.of))
      .map(({ of: { kind, tone }, ...total }) => ({ ...total, kind, tone })),
    asOf: stored?.asOf ?? null,
  }
}

/**
 * Returns the number and total amount of matching deals. Uses stored totals if there are too many deals to
 * count.
 */
export async function countMatching(deps: TotalsDeps, query: Query): Promise<DealCount> {
  const { filter } = query
  const counted = await countPlaced(deps, query)
  if (!counted.isMore || filter.isOpen !== true || !isByStage(filter)) return counted
  const { columns } = await readBoard(deps, query)
  if (columns.some(({ isMore }) => isMore)) return counted
  const sumOf = (name: 'count' | 'amount' | 'withoutAmount') =>
    columns.reduce((sum, column) => sum + (column[name] ?? 0), 0)
  return {
    count: sumOf('count'),
    isMore: false,
    amount: sumOf('amount'),
    withoutAmount: sumOf('withoutAmount'),
  }
}

/** Returns true if the filter is empty or selects only by stage or open deals. */
const isByStage = (filter: DealFilter) =>
  Object.keys(filter).every((name) => name === 'stages' || name === 'isOpen')

function storedStages(
  totals: ValueTotals,
  { stages = [], isOpen }: DealFilter,
  stageOf: StageOf,
): StageTotal[] {
  // Treats null and empty stages as the same stage.
  return [...Map.groupBy(totals.stages, ({ value }) => value)]
    .filter(([stage]) => stages.length === 0 || stages.includes(stage))
    .filter(([stage]) => isOpen !== true || !isClosed(stageOf(stage).kind))
    .map(([stage, all]) => ({
      stage,
      count: all.reduce((sum, { count }) => sum + count, 0),
      isMore: false,
      amount: toCents(all.reduce((sum, { amount }) => sum + amount, 0)),
      withoutAmount: all.reduce((sum, { withoutAmount }) => sum + withoutAmount, 0),
    }))
}

/** Maximum number of deals read, shared by all stages, when no index serves the filter. */
const walkMax = 10_000

const stagesMax = 1000

export type StageTotal = Pick<BoardColumn, 'stage' | 'count' | 'isMore' | 'amount' | 'withoutAmount'>

/**
 * Returns the number and amount of matching deals per stage. Reads a bounded number of deals: candidates from
 * an index or, if no index serves the filter, the first deals of each stage. `isMore` marks stages that were
 * not read completely.
 */
export const countByStage = (db: ReadDatabase, query: Query): Promise<StageTotal[]> =>
  withoutScans(db, async (sql) => {
    const { tenant, filter } = query
    const isShort = (await readDealCount(sql, tenant)) <= scanMax
    const matches = conditionOf(sql, query)
    if (isShort) return (await countAmong(sql, firstDeals(sql, tenant, scanMax), matches)).map(wholeOf)
    const seen: StageCount[] = []
    for (const deals of await candidateQueries(sql, query)) {
      const counts = await countAmong(sql, deals, matches)
      if (counts.reduce((sum, { length }) => sum + length, 0) <= narrowMax) return counts.map(wholeOf)
      seen.push(...counts)
    }
    const stages = filter.stages?.length ? filter.stages : await readStageNames(sql, tenant)
    const most = Math.ceil(walkMax / Math.max(1, stages.length))
    const walked = await countEach(sql, tenant, [...new Set(stages)], most, matches)
    return walked.map((found) => {
      const { stage, length, count } = found
      if (length <= most) return wholeOf(found)
      const counts = seen.filter((each) => each.stage === stage).map((each) => each.count)
      const atLeast = Math.min(countedMax, Math.max(count, ...counts))
      return { stage, count: atLeast, isMore: true, amount: null, withoutAmount: null }
    })
  }).then((totals) => totals.filter(({ count, isMore }) => count > 0 || isMore))

interface StageCount extends CountAmong {
  stage: string
}

const wholeOf = ({ length: _length, ...found }: StageCount): StageTotal => ({ ...found, isMore: false })

const countAmong = (sql: ISql, query: Fragment, matches: Fragment) => sql<StageCount[]>`
  select coalesce(stage, '') as stage, ${countedBy(sql)} from (${withMatches(sql, query, matches)}) deals group by 1`

/** Sort order of the cards in a stage, as in its index. */
const cardOrder = (sql: ISql, tenant: TenantScope) =>
  sql`${isEveryone(tenant) ? sql`` : sql`partner_id,`} stage, time_in_current_stage, id`

/**
 * Returns the stages of the tenant's deals, using one index lookup per stage. The empty string stands for deals
 * without a stage.
 */
async function readStageNames(sql: ISql, tenant: TenantScope): Promise<string[]> {
  const first = (condition: Fragment) => sql`
    select stage from deals where ${isWithin(sql, tenant)} and ${condition} order by ${cardOrder(sql, tenant)} limit 1`
  const rows = await sql<{ stage: string }[]>`
    with recursive found as (
      (${first(sql`stage >= ''`)})
      union all
      select (${first(sql`stage > found.stage`)}) from found where found.stage is not null)
    select stage from found where stage is not null limit ${stagesMax}`
  return ['', ...rows.map(({ stage }) => stage)]
}

/**
 * Counts the matches among the first `most` deals of each stage. Reads one extra deal to detect whether there
 * are more. Selects a stage by a range because an equality would let the planner pick an index in the wrong
 * order.
 */
async function countEach(
  sql: ISql,
  tenant: TenantScope,
  stages: string[],
  most: number,
  matches: Fragment,
): Promise<StageCount[]> {
  const first = (condition: Fragment) => sql`
    select * from deals where ${isWithin(sql, tenant)} and ${condition}
    order by ${cardOrder(sql, tenant)} limit ${most + 1}`
  const named = await sql<StageCount[]>`
    select given.value as stage, ${countedBy(sql)}
    from unnest(${stages}::text[]) as given (value)
      cross join lateral (${withMatches(sql, first(sql`stage >= given.value and stage <= given.value`), matches)}) deals
    group by 1`
  if (!stages.includes('')) return named
  const unknown = await sql<StageCount[]>`
    select '' as stage, ${countedBy(sql)} from (${withMatches(sql, first(sql`stage is null`), matches)}) deals`
  const empty = named.find(({ stage }) => stage === '')
  return [
    ...named.filter((each) => each !== empty),
    ...unknown.map(({ stage, length, count, amount, withoutAmount }) => ({
      stage,
      length: length + (empty?.length ?? 0),
      count: count + (empty?.count ?? 0),
      amount: amount + (empty?.amount ?? 0),
      withoutAmount: withoutAmount + (empty?.withoutAmount ?? 0),
    })),
  ]
}
