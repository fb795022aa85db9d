import type { TenantScope } from '../../accounts/partner.ts'
import { type TotalsDeps, readOrCountTotals } from '../../search/totals/read-totals.ts'
import type { Zone } from '../../values/zone.ts'
import { type FlowPeriod, daysOfFlow } from '../period.ts'
import { slicedTrendTotals, trendTotals } from './store.ts'
import { leftOutOf } from './trends.ts'
import type { SlicedTrends, TrendSlice, TrendUnit, Trends } from './wire.ts'

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
