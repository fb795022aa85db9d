import { listed } from '#db/fragments.ts'
import { isWithin } from '../accounts/store.ts'
import { conditionOf } from '../search/condition-store.ts'
import { type TotalsDeps, readOrCountTotals, type TotalsKind } from '../search/read-totals.ts'
import { datedDeals, spanOf } from '../search/step-store.ts'
import type { DealSnapshot, ZonedTenant } from '../search/totals-store.ts'
import { flowKind, oneGroup, readValues, totalsBySlice } from './flow-store.ts'
import { type FlowPeriod, daysOfFlow, mondaysUntil, monthStarts, periodStarts } from './periods.ts'
import {
  type SlicedTrends,
  type TrendSlice,
  type TrendUnit,
  type Trends,
  trendEvents,
  trendFields,
  trendSlices,
} from './reports-wire.ts'
import {
  leftOutOf,
  type PricedDeals,
  type SlicedTotals,
  type TrendTotals,
  leftOutFilters,
  periodTrends,
  spanTrends,
} from './trends.ts'

/** Returns the tenant's deals grouped by value, event, span and price per watt, in one scan. */
async function readPriced(
  snapshot: DealSnapshot,
  starts: string[],
  { value, values } = oneGroup(snapshot),
): Promise<(PricedDeals & { value: string })[]> {
  const { sql, zone } = snapshot
  const fields = trendEvents.map((event) => trendFields[event])
  const { deals, time } = datedDeals(snapshot, fields)
  const spans = listed(
    sql,
    fields.map((field) => spanOf(sql, time(field), starts, zone)),
  )
  return sql<(PricedDeals & { value: string })[]>`
    select value, event, span, cents, count(*)::float8 as count, coalesce(sum(amount), 0)::float8 as amount,
      coalesce(sum(system_size), 0)::float8 as size
    from (
      select ${value} as value, amount, system_size, round(total_ppw * 100)::float8 as cents,
        unnest(${[...trendEvents]}::text[]) as event, unnest(array[${spans}]) as span
      from ${deals} where ${value} = any(${values}::text[])
    ) events
    where span > 0
    group by 1, 2, 3, 4`
}

/** Counts the tenant's deals that the trends leave out. */
async function countLeftOut({ sql, tenant, zone }: DealSnapshot): Promise<TrendTotals['leftOut']> {
  const counts = Object.entries(leftOutFilters()).map(
    ([name, filter]) =>
      sql`(count(*) filter (where ${conditionOf(sql, { tenant, filter, zone })}))::float8 as ${sql(name)}`,
  )
  const [row] = await sql<[TrendTotals['leftOut']]>`
    select ${listed(sql, counts)} from deals where ${isWithin(sql, tenant)}`
  return row
}

/** Number of weeks reported individually. */
const weekCount = 26

async function computeTrends(snapshot: DealSnapshot): Promise<TrendTotals> {
  const { today } = snapshot
  const [months, weeks] = [monthStarts(today), mondaysUntil(today, 1 + weekCount)]
  const byMonth = await readPriced(snapshot, months)
  return {
    today,
    months: spanTrends(byMonth, months, today),
    weeks: spanTrends(await readPriced(snapshot, weeks), weeks, today),
    periods: periodTrends(byMonth, months, today),
    leftOut: await countLeftOut(snapshot),
  }
}

export const trendTotals: TotalsKind<TrendTotals> = { ...flowKind, name: 'trends-2', compute: computeTrends }

async function computeSliced(snapshot: DealSnapshot, slice: TrendSlice): Promise<SlicedTotals> {
  const { today } = snapshot
  const starts = periodStarts(today)
  const groups = await readValues(snapshot, slice)
  const rows = Map.groupBy(await readPriced(snapshot, starts, groups), (row) => row.value)
  return {
    today,
    valueCount: groups.valueCount,
    values: groups.values.map((name) => ({
      value: name,
      periods: periodTrends(rows.get(name) ?? [], starts, today),
    })),
  }
}

export const slicedTrendTotals = totalsBySlice('trends', trendSlices, computeSliced)

/** Returns the trends of the tenant's deals at `now`, with days in the zone. */
export async function readTrends(
  deps: TotalsDeps,
  viewer: ZonedTenant,
  now: Date,
  period: FlowPeriod,
  unit: TrendUnit,
): Promise<Trends> {
  const { totals, asOf } = await readOrCountTotals(deps, trendTotals, viewer, now)
  const { today, months, weeks, periods, leftOut } = totals
  return {
    asOf,
    spans: unit === 'week' ? weeks : months.slice(-Math.max(6, Number(period))),
    days: daysOfFlow(period, today),
    ...periods[period],
    leftOut: leftOutOf(leftOut),
  }
}

/** Returns the trends of a period for each value of a field. */
export async function readSlicedTrends(
  deps: TotalsDeps,
  viewer: ZonedTenant,
  now: Date,
  slice: TrendSlice,
  period: FlowPeriod,
): Promise<SlicedTrends> {
  const { totals, asOf } = await readOrCountTotals(deps, slicedTrendTotals[slice], viewer, now)
  const { today, values, valueCount } = totals
  return {
    asOf,
    days: daysOfFlow(period, today),
    slice,
    valueCount,
    values: values.map(({ value, periods }) => ({
      value,
      filter: slice === 'state' ? { states: [value] } : { values: { [slice]: [value] } },
      ...periods[period],
    })),
  }
}
