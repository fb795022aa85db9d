import type { Fragment, ISql } from 'postgres'
import { type ReadDatabase, withoutScans } from '#db/client.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/tenant-store.ts'
import { narrowMax } from '../deals/policy.ts'
import { candidateQueries } from './candidate-queries.ts'
import { type Query, conditionOf } from './condition-store.ts'
import {
  type CountAmong,
  countedBy,
  countedMax,
  firstDeals,
  withMatches,
  readDealCount,
  scanMax,
} from './count-store.ts'
import type { BoardColumn } from './wire.ts'

/** Maximum number of deals read, shared by all stages, when no index serves the filter. */
const walkMax = 10_000

/** Maximum number of stages counted in a long list. */
const stagesMax = 1000

/** Number and amount of the matching deals in a stage. */
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
 * Returns the stages of the tenant's deals, using one index lookup per stage. The empty text stands for deals
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
