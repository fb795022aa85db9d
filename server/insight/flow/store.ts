import type { Fragment } from 'postgres'
import { inRow } from '#db/fragments.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import { isWithin } from '../../accounts/tenant-store.ts'
import { columnOf } from '../../deals/columns.ts'
import { type FlowStep, type StepNow, flowFields, flowSteps } from '../../deals/milestones/flow.ts'
import { datedDeals, onceEach } from '../../search/dated-store.ts'
import { isUndated } from '../../search/flow-store.ts'
import { isSince } from '../../search/status-store.ts'
import { spanOf, timeOf } from '../../search/step-store.ts'
import type { TotalsKind } from '../../search/totals/read-totals.ts'
import type { DealSnapshot } from '../../search/totals/store.ts'
import { isMoving } from '../../stages/stage.ts'
import { type Zone, dayOf } from '../../values/zone.ts'
import { noValue, readDurations, readStagesThat } from '../duration-store.ts'
import { monthStarts, periodStarts } from '../period.ts'
import { homeTotals } from '../store.ts'
import {
  type Cohort,
  type FlowTotals,
  type SliceTotals,
  type StepWait,
  monthsOf,
  periodsOf,
  slowAfter,
} from './flow.ts'
import { type SliceName, sliceNames } from './wire.ts'

/** Maximum number of values reported per field. */
const valuesMax = 20

/** Span number of deals without a creation date. */
const noSpan = -1

interface ProgressGroup extends Cohort {
  value: string
  step: StepNow | null
  isSlow: boolean | null
  /** Number of deals in the group with unknown durations. */
  undated: number
}

/**
 * Returns the tenant's deals grouped by progress, value and span of creation, as if all were open. If `slow`
 * is given (days after which a step is slow), also groups them by step and slowness.
 */
async function readProgress(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  today: string,
  value: Fragment,
  values: string[],
  slow: ((step: FlowStep) => number | null) | null,
): Promise<ProgressGroup[]> {
  const still = await readStagesThat(sql, (kind) => !isMoving(kind))
  const { deals, time } = datedDeals(sql, tenant, zone, ['createDate'])
  const isSlow = flowSteps.flatMap((step) => {
    const days = slow?.(step) ?? null
    return days === null ? [] : [sql`when ${step} then ${isSince(sql, days + 1, zone)}`]
  })
  const stepNow = sql`case when coalesce(stage, '') <> all(${still}::text[]) then coalesce(flow_step, 'unknown') end`
  return sql<ProgressGroup[]>`
    select value, coalesce(stage, '') as stage, coalesce(reached, 'unknown') as reach, step, case step ${inRow(sql, [sql`when '' then false`, ...isSlow])} end as "isSlow", span,
      count(*)::float8 as count, (count(*) filter (where ${isUndated(sql)}))::float8 as undated
    from (
      select *, ${value} as value, ${slow === null ? sql`null::text` : stepNow} as step,
        case when ${timeOf(sql, 'createDate')} is null then ${noSpan}::integer
          else coalesce(${spanOf(sql, time('createDate'), periodStarts(today), zone)}, 0) end as span
      from ${deals} where ${value} = any(${values}::text[]) ${onceEach(sql)}
    ) deals
    group by 1, 2, 3, 4, 5, 6`
}

const sumBy = <T extends { count: number }>(rows: readonly T[], keyOf: (row: T) => string): T[] =>
  [...Map.groupBy(rows, keyOf).values()].map((alike) => ({
    ...alike[0]!,
    count: alike.reduce((sum, { count }) => sum + count, 0),
  }))

const cohortsOf = (rows: readonly ProgressGroup[]): Cohort[] =>
  sumBy(
    rows.filter(({ span }) => span > 0),
    ({ stage, reach, span }) => `${span} ${reach} ${stage}`,
  ).map(({ stage, reach, span, count }) => ({ stage, reach, span, count }))

const waitsOf = (rows: readonly ProgressGroup[]): StepWait[] =>
  sumBy(rows, ({ stage, step, isSlow }) => `${step} ${isSlow} ${stage}`).flatMap(
    ({ stage, step, isSlow, count }) => (step === null ? [] : [{ stage, step, isSlow, count }]),
  )

async function computeFlow(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<FlowTotals> {
  const today = dayOf(now, zone)
  const starts = monthStarts(today)
  const days = await readDurations(sql, tenant, zone, starts, flowFields)
  const periods = periodsOf(days, today, starts)
  const slow = (step: FlowStep) => slowAfter(periods, step)
  const progress = await readProgress(sql, tenant, zone, today, noValue(sql), [''], slow)
  return {
    today,
    periods,
    months: monthsOf(days, today),
    waits: waitsOf(progress),
    cohorts: cohortsOf(progress),
    dealCount: progress.reduce((sum, { count }) => sum + count, 0),
    undated: progress.reduce((sum, { undated }) => sum + undated, 0),
    notCreated: progress.reduce((sum, { span, count }) => sum + (span === noSpan ? count : 0), 0),
  }
}

/** Options shared by the stored totals of flow and trends. */
export const flowKind = {
  isByZone: true,
  // Flow is as expensive to compute as the money figures.
  atOnceMax: 2000,
  // Flow totals expire with the totals of Home, because both depend on the current day and step.
  validUntil: homeTotals.validUntil!,
}

/** Stored totals for the flow figures. */
export const flowTotals: TotalsKind<FlowTotals> = { ...flowKind, name: 'flow-4', compute: computeFlow }

/** Returns the most frequent values of a field among the tenant's deals, and the total number of values. */
export async function readValues(
  sql: DealSnapshot,
  tenant: TenantScope,
  value: Fragment,
): Promise<{ values: string[]; valueCount: number }> {
  const rows = await sql<{ value: string; all: number }[]>`
    select ${value} as value, count(*) over ()::integer as all
    from deals where ${isWithin(sql, tenant)}
    group by 1 order by count(*) desc, 1 limit ${valuesMax}`
  return { values: rows.map((row) => row.value), valueCount: rows[0]?.all ?? 0 }
}

async function computeSlices(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  slice: SliceName,
): Promise<SliceTotals> {
  const today = dayOf(now, zone)
  const starts = periodStarts(today)
  const value = sql`coalesce(${sql(columnOf(slice))}, '')`
  const { values, valueCount } = await readValues(sql, tenant, value)
  const days = await readDurations(sql, tenant, zone, starts, flowFields, { value, values })
  const progress = await readProgress(sql, tenant, zone, today, value, values, null)
  return {
    today,
    valueCount,
    values: values.map((name) => ({
      value: name,
      periods: periodsOf(
        days.filter((row) => row.value === name),
        today,
        starts,
      ),
      cohorts: cohortsOf(progress.filter((row) => row.value === name)),
    })),
  }
}

/** Returns a kind of totals for each of these fields, stored as `<name>-<field>-3`. */
export const totalsBySlice = <Slice extends string, Counted>(
  name: string,
  slices: readonly Slice[],
  compute: (sql: DealSnapshot, tenant: TenantScope, zone: Zone, now: Date, slice: Slice) => Promise<Counted>,
): Record<Slice, TotalsKind<Counted>> =>
  Object.fromEntries(
    slices.map((slice): [Slice, TotalsKind<Counted>] => [
      slice,
      {
        ...flowKind,
        name: `${name}-${slice}-3`,
        compute: (sql, tenant, zone, now) => compute(sql, tenant, zone, now, slice),
      },
    ]),
  ) as Record<Slice, TotalsKind<Counted>>

/** Stored totals for the flow figures by the values of each field. */
export const sliceTotals = totalsBySlice('flow', sliceNames, computeSlices)
