import type { Fragment, ISql } from 'postgres'
import { listed, inRow } from '#db/fragments.ts'
import { isWithin } from '../accounts/store.ts'
import { withTimeout } from '../admission/scheduling.ts'
import { type TimeField, columnOf } from '../deals/columns.ts'
import type { ReadUsual } from '../deals/derived-columns.ts'
import { flowSteps, type StepDates, type FlowStep, type StepNow, flowFields } from '../deals/flow.ts'
import { listIdOf } from '../deals/list-store.ts'
import type { UsualSteps } from '../deals/payment.ts'
import { type TotalsDeps, readOrCountTotals, type TotalsKind } from '../search/read-totals.ts'
import {
  datedDeals,
  onceEach,
  needsNoPermit,
  isUndated,
  dayNumberBySql,
  spanOf,
  timeOf,
  isSince,
} from '../search/step-store.ts'
import type { ZonedTenant, DealSnapshot } from '../search/totals-store.ts'
import { makeStageOf, type StageKind, isWon, isMoving } from '../stages/stage.ts'
import { readStages, stagesThat } from '../stages/store.ts'
import { minuteMs } from '../values/units.ts'
import { addDays, dayNumberOf, utc } from '../values/zone.ts'
import {
  makeFlowFigures,
  makeSliceFigures,
  type Cohort,
  type FlowTotals,
  type SliceTotals,
  type StepWait,
  monthsOf,
  periodsOf,
  slowAfter,
} from './flow.ts'
import { homeTotals } from './home-store.ts'
import { type FlowPeriod, type StepDays, monthStarts, periodStarts, sumOf, usualPeriod } from './periods.ts'
import { type FlowFigures, type SliceFigures, type SliceName, sliceNames } from './reports-wire.ts'

/** Returns the flow figures of the tenant's deals at `now`, with days in the zone. */
export async function readFlow(
  deps: TotalsDeps,
  viewer: ZonedTenant,
  now: Date,
  period: FlowPeriod,
): Promise<FlowFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, flowTotals, viewer, now),
    readStages(deps.db, viewer.tenant),
  ])
  return { asOf, ...makeFlowFigures(totals, period, makeStageOf(stages)) }
}

/** Returns the flow figures of the tenant's deals for each value of a field. */
export async function readSlices(
  deps: TotalsDeps,
  viewer: ZonedTenant,
  now: Date,
  slice: SliceName,
  period: FlowPeriod,
): Promise<SliceFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, sliceTotals[slice], viewer, now),
    readStages(deps.db, viewer.tenant),
  ])
  return { asOf, ...makeSliceFigures(totals, slice, period, makeStageOf(stages)) }
}

/** Returns the recent durations of each step in days. */
export async function readUsualSteps(deps: TotalsDeps, viewer: ZonedTenant, now: Date): Promise<UsualSteps> {
  const { totals } = await readOrCountTotals(deps, flowTotals, viewer, now)
  const steps = totals.periods[usualPeriod]
  return Object.fromEntries(flowSteps.map((step) => [step, steps[step].now.usual])) as UsualSteps
}

const lifetimeMs = 10 * minuteMs
const maxEntries = 1000
/** Maximum wait for the durations. After that, rows are shown without expected payments. */
const timeoutMs = 1000

/**
 * Returns a reader that caches usual durations for ten minutes. While they are reloaded, it returns the old
 * ones, or null if there are none yet.
 */
export function cacheUsual(
  read: (viewer: ZonedTenant) => Promise<UsualSteps>,
  nowMs: () => number,
): ReadUsual {
  const cached = new Map<string, { reading: Promise<UsualSteps | null>; atMs: number }>()
  const last = new Map<string, UsualSteps>()
  return async (tenant, zone) => {
    const key = `${listIdOf(tenant)} ${zone}`
    let entry = cached.get(key)
    if (entry === undefined || nowMs() - entry.atMs > lifetimeMs) {
      if (cached.size >= maxEntries) {
        cached.clear()
        last.clear()
      }
      const reading = read({ tenant, zone }).then(
        (usual) => {
          last.set(key, usual)
          return usual
        },
        () => {
          cached.delete(key)
          return null
        },
      )
      entry = { reading, atMs: nowMs() }
      cached.set(key, entry)
    }
    return last.get(key) ?? withTimeout(entry.reading, timeoutMs, () => null)
  }
}

const valuesMax = 20

/** Span number of deals without a creation date. */
const noSpan = -1

interface ProgressGroup extends Cohort {
  value: string
  step: StepNow | null
  isSlow: boolean | null
  undated: number
}

/**
 * Returns the tenant's deals grouped by progress, value and span of creation, as if all were open. If `slow`
 * is given (days after which a step is slow), also groups them by step and slowness.
 */
async function readProgress(
  snapshot: DealSnapshot,
  { value, values }: ValueGroups,
  slow: ((step: FlowStep) => number | null) | null,
): Promise<ProgressGroup[]> {
  const { sql, zone, today } = snapshot
  const still = await readStagesThat(sql, (kind) => !isMoving(kind))
  const { deals, time } = datedDeals(snapshot, ['createDate'])
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
    count: sumOf(alike),
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

async function computeFlow(snapshot: DealSnapshot): Promise<FlowTotals> {
  const { today } = snapshot
  const starts = monthStarts(today)
  const days = await readDurations(snapshot, starts, flowFields)
  const periods = periodsOf(days, today, starts)
  const slow = (step: FlowStep) => slowAfter(periods, step)
  const progress = await readProgress(snapshot, oneGroup(snapshot), slow)
  return {
    today,
    periods,
    months: monthsOf(days, today),
    waits: waitsOf(progress),
    cohorts: cohortsOf(progress),
    dealCount: sumOf(progress),
    undated: progress.reduce((sum, { undated }) => sum + undated, 0),
    notCreated: sumOf(progress.filter(({ span }) => span === noSpan)),
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

export const flowTotals: TotalsKind<FlowTotals> = { ...flowKind, name: 'flow-4', compute: computeFlow }

/**
 * Returns the SQL expression for a slice's value, the most frequent values among the tenant's deals, and the
 * total number of distinct values.
 */
export async function readValues(
  { sql, tenant }: DealSnapshot,
  slice: Parameters<typeof columnOf>[0],
): Promise<ValueGroups & { valueCount: number }> {
  const value = sql`coalesce(${sql(columnOf(slice))}, '')`
  const rows = await sql<{ value: string; all: number }[]>`
    select ${value} as value, count(*) over ()::integer as all
    from deals where ${isWithin(sql, tenant)}
    group by 1 order by count(*) desc, 1 limit ${valuesMax}`
  return { value, values: rows.map((row) => row.value), valueCount: rows[0]?.all ?? 0 }
}

async function computeSlices(snapshot: DealSnapshot, slice: SliceName): Promise<SliceTotals> {
  const { today } = snapshot
  const starts = periodStarts(today)
  const groups = await readValues(snapshot, slice)
  const days = await readDurations(snapshot, starts, flowFields, groups)
  const progress = await readProgress(snapshot, groups, null)
  return {
    today,
    valueCount: groups.valueCount,
    values: groups.values.map((name) => ({
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
  compute: (snapshot: DealSnapshot, slice: Slice) => Promise<Counted>,
): Record<Slice, TotalsKind<Counted>> =>
  Object.fromEntries(
    slices.map((slice): [Slice, TotalsKind<Counted>] => [
      slice,
      {
        ...flowKind,
        name: `${name}-${slice}-3`,
        compute: (snapshot) => compute(snapshot, slice),
      },
    ]),
  ) as Record<Slice, TotalsKind<Counted>>

export const sliceTotals = totalsBySlice('flow', sliceNames, computeSlices)

/** An SQL expression by which deals are grouped, and the values that are reported. */
export interface ValueGroups {
  value: Fragment
  values: string[]
}

/** Puts all deals into one group. */
export const oneGroup = ({ sql }: DealSnapshot): ValueGroups => ({ value: sql`''::text`, values: [''] })

/**
 * Returns the names of the stages of this kind for use in conditions. PostgreSQL would not run the query in
 * parallel if it looked them up itself.
 */
async function readStagesThat(sql: ISql, is: (kind: StageKind) => boolean): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`${stagesThat(sql, is)}`
  return rows.map(({ name }) => name)
}

/** Number of days before the reported spans within which most of their steps began. */
const daysBeforeSpans = 365

const spansMax = 32
const daysMax = 2 ** 20

/**
 * Packs a step, a span and a number of days into one integer, which is twice as fast to group by as three
 * columns.
 */
const packedKey = (sql: ISql, step: number, span: Fragment, days: Fragment): Fragment =>
  sql`(${step * spansMax}::integer + ${span}) * ${daysMax}::integer + ${days}`

/**
 * Counts the tenant's deals by the calendar days that each step took, for steps that ended on or after the
 * first of the `starts`. A start is the first day of a span, such as `2026-03-01`. All usual durations in the
 * portal, in mail and in REST are computed from these counts. Excludes missing, future and out-of-order
 * dates. A deal is paid when it enters a won stage.
 */
export async function readDurations<Name extends string>(
  snapshot: DealSnapshot,
  starts: string[],
  steps: Readonly<Record<Name, StepDates>>,
  { value, values } = oneGroup(snapshot),
): Promise<(StepDays<Name> & { value: string })[]> {
  const { sql, zone } = snapshot
  const names = Object.keys(steps) as Name[]
  const fields = [...new Set(names.flatMap((name) => [steps[name].from, steps[name].to]))]
  const won = await readStagesThat(sql, isWon)
  const { deals, time } = datedDeals(snapshot, fields)
  const dayNumberOfDay = (day: string) => dayNumberOf(`${day}T00:00:00Z`, utc)
  const first = addDays(starts[0]!, -daysBeforeSpans)
  const day = (field: TimeField) => sql`${sql(`day_${field}`)}`
  const days = fields.map((field) => sql`${dayNumberBySql(sql, time(field), first, zone)} as ${day(field)}`)
  const spanStarts = `{${starts.map(dayNumberOfDay).join()}}`
  const keys = names.map((name, index) => {
    const { from, to, fromWithoutPermit } = steps[name]
    const begun =
      fromWithoutPermit === undefined
        ? day(from)
        : sql`case when ${needsNoPermit(sql)} then ${day(fromWithoutPermit)} else ${day(from)} end`
    const isOver = to === 'timeInCurrentStage' ? sql`stage = any(${won}::text[])` : sql`true`
    const span = sql`width_bucket(${day(to)}, ${spanStarts}::integer[])`
    return sql`case when ${day(to)} >= greatest(${begun}, ${dayNumberOfDay(starts[0]!)}::integer) and ${isOver}
      then ${packedKey(sql, index, span, sql`${day(to)} - ${begun}`)} end`
  })
  const rows = await sql<{ value: string; key: number; count: number }[]>`
    select value, key, count(*)::float8 as count
    from (
      select ${value} as value, unnest(array[${listed(sql, keys)}]) as key
      from (select *, ${listed(sql, days)} from ${deals} ${onceEach(sql)}) deals
      where ${value} = any(${values}::text[])
    ) steps
    where key is not null
    group by 1, 2`
  return rows.map(({ value: ofDeals, key, count }) => {
    const stepAndSpan = Math.floor(key / daysMax)
    const step = names[Math.floor(stepAndSpan / spansMax)]!
    return { step, span: stepAndSpan % spansMax, days: key % daysMax, value: ofDeals, count }
  })
}
