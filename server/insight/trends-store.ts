import type { Fragment } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { conditionOf } from '../search/condition-store.ts'
import { type TotalsDeps, readOrCountTotals, type TotalsKind } from '../search/read-totals.ts'
import { datedDeals, spanOf } from '../search/step-store.ts'
import type { DealSnapshot } from '../search/totals-store.ts'
import { type Zone, dayOf } from '../values/zone.ts'
import { flowKind, readValues, totalsBySlice } from './flow-store.ts'
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
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  starts: string[],
  value: Fragment,
  values: string[],
): Promise<(PricedDeals & { value: string })[]> {
  const fields = trendEvents.map((event) => trendFields[event])
  const { deals, time } = datedDeals(sql, tenant, zone, fields)
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
async function countLeftOut(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
): Promise<TrendTotals['leftOut']> {
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

async function computeTrends(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<TrendTotals> {
  const today = dayOf(now, zone)
  const [months, weeks] = [monthStarts(today), mondaysUntil(today, 1 + weekCount)]
  const read = (starts: string[]) => readPriced(sql, tenant, zone, starts, sql`''::text`, [''])
  const byMonth = await read(months)
  return {
    today,
    months: spanTrends(byMonth, months, today),
    weeks: spanTrends(await read(weeks), weeks, today),
    periods: periodTrends(byMonth, months, today),
    leftOut: await countLeftOut(sql, tenant, zone),
  }
}

export const trendTotals: TotalsKind<TrendTotals> = { ...flowKind, name: 'trends-2', compute: computeTrends }

async function computeSliced(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  slice: TrendSlice,
): Promise<SlicedTotals> {
  const today = dayOf(now, zone)
  const starts = periodStarts(today)
  const { value, values, valueCount } = await readValues(sql, tenant, slice)
  const rows = Map.groupBy(await readPriced(sql, tenant, zone, starts, value, values), (row) => row.value)
  return {
    today,
    valueCount,
    values: values.map((name) => ({
      value: name,
      periods: periodTrends(rows.get(name) ?? [], starts, today),
    })),
  }
}

export const slicedTrendTotals = totalsBySlice('trends', trendSlices, computeSliced)

/** Returns the trends of the tenant's deals at `now`, with days in the zone. */
export async function readTrends(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  period: FlowPeriod,
  unit: TrendUnit,
): Promise<Trends> {
  const { totals, asOf } = await readOrCountTotals(deps, tenant, trendTotals, zone, now)
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
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  slice: TrendSlice,
  period: FlowPeriod,
): Promise<SlicedTrends> {
  const { totals, asOf } = await readOrCountTotals(deps, tenant, slicedTrendTotals[slice], zone, now)
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
