import type { Fragment } from 'postgres'
import type { Reach } from '../../accounts/partner.ts'
import { type TimeField, columnOf } from '../../deals/find/columns.ts'
import { conditionOf } from '../../deals/find/condition-store.ts'
import {
  beganBefore,
  cameOf,
  dayIn,
  isInStageOf,
  needsNoPermit,
  reachByDates,
  stepBySql,
} from '../../deals/find/flow-store.ts'
import { timeOf } from '../../deals/find/step-store.ts'
import { type FlowStep, flowFields, flowSteps } from '../../deals/milestones/flow.ts'
import {
  type Means,
  type Totals,
  type TotalsKind,
  readOrCountTotals,
} from '../../deals/totals/read-totals.ts'
import type { DealSnapshot } from '../../deals/totals/store.ts'
import { type Zone, dayOf } from '../../protocol/zone.ts'
import { overviewTotals } from '../store.ts'
import {
  type Cohort,
  type FlowTotals,
  type SliceTotals,
  type StepDays,
  type StepWait,
  monthsOf,
  periodsOf,
  slowAfter,
} from './flow.ts'
import { monthStarts, periodStarts } from './period.ts'
import { type SliceName, sliceNames } from './wire.ts'

const list = (sql: DealSnapshot, parts: Fragment[]) => parts.reduce((all, each) => sql`${all}, ${each}`)

/** The most values of a field that are told. */
const valuesMax = 20

/** The columns of a deal's days, by field. */
const dayColumns = (sql: DealSnapshot, field: TimeField) => sql(`day_${field}`)

/** The value by which deals are not told apart. */
const noValue = (sql: DealSnapshot) => sql`''::text`

/** Returns the days on which the steps of deals within reach began and ended, as far as they have come, each computed once. */
function daysOfSteps(sql: DealSnapshot, reach: Reach, zone: Zone, value: Fragment): Fragment {
  const fields = [...new Set(flowSteps.flatMap((step) => [flowFields[step].from, flowFields[step].to]))]
  const days = fields.map(
    (field) => sql`case when ${cameOf(sql, field, zone)} then ${dayIn(sql, timeOf(sql, field), zone)} end
      as ${dayColumns(sql, field)}`,
  )
  return sql`
    select ${value} as value, ${needsNoPermit(sql)} as needs_no_permit, ${isInStageOf(sql, 'won')} as is_won,
      ${list(sql, days)}
    from deals where ${conditionOf(sql, reach, {}, zone)} offset 0`
}

/** Returns how many deals took so many days for each step that ended since the first of these days, by value. */
async function readStepDays(
  sql: DealSnapshot,
  reach: Reach,
  zone: Zone,
  starts: string[],
  value: Fragment,
  values: string[],
): Promise<(StepDays & { value: string })[]> {
  const begins = flowSteps.map((step) => {
    const own = dayColumns(sql, flowFields[step].from)
    return step === 'install'
      ? sql`case when needs_no_permit then ${dayColumns(sql, 'ntpApproved')} else ${own} end`
      : sql`${own}`
  })
  const ends = flowSteps.map((step) => {
    const own = dayColumns(sql, flowFields[step].to)
    return step === 'payment' ? sql`case when is_won then ${own} end` : sql`${own}`
  })
  return sql<(StepDays & { value: string })[]>`
    select value, step, width_bucket(ended, ${`{${starts.join()}}`}::date[])::integer as span,
      (ended - begun)::float8 as days, count(*)::float8 as count
    from (
      select value, unnest(${[...flowSteps]}::text[]) as step,
        unnest(array[${list(sql, begins)}]) as begun, unnest(array[${list(sql, ends)}]) as ended
      from (${daysOfSteps(sql, reach, zone, value)}) days
      where value = any(${values}::text[])
    ) steps
    where ended >= begun and ended >= ${starts[0]!}::date
    group by 1, 2, 3, 4`
}

interface Standing extends Cohort {
  value: string
  step: FlowStep | null
  isSlow: boolean | null
}

/** Returns all deals within reach by where they are, as if they were open, by value and the span of their creation. */
async function readStandings(
  sql: DealSnapshot,
  reach: Reach,
  zone: Zone,
  today: string,
  value: Fragment,
  values: string[],
  slow: (step: FlowStep) => number | null,
): Promise<Standing[]> {
  const isSlow = flowSteps
    .flatMap((step) => {
      const days = slow(step)
      return days === null ? [] : [sql`when ${step} then ${beganBefore(sql, step, days + 1, zone)}`]
    })
    .reduce((all, each) => sql`${all} ${each}`, sql`when '' then false`)
  // Most deals of a long list are closed, and telling their step takes longest.
  const stepNow = sql`case when ${isInStageOf(sql, 'open')} then ${stepBySql(sql, zone)} end`
  const created = dayIn(sql, timeOf(sql, 'createDate'), zone)
  const hasCome = cameOf(sql, 'createDate', zone)
  return sql<Standing[]>`
    select value, coalesce(stage, '') as stage, ${reachByDates(sql, zone)} as reach, step,
      case step ${isSlow} end as "isSlow",
      case when ${hasCome} then width_bucket(${created}, ${`{${periodStarts(today).join()}}`}::date[]) else 0 end as span,
      count(*)::float8 as count
    from (
      select *, ${value} as value, ${slow === noSlow ? sql`null::text` : stepNow} as step
      from deals where ${conditionOf(sql, reach, {}, zone)} offset 0
    ) deals
    where value = any(${values}::text[])
    group by 1, 2, 3, 4, 5, 6`
}

/** No step is asked about. */
const noSlow = () => null

const sumBy = <T extends { count: number }>(rows: readonly T[], keyOf: (row: T) => string): T[] =>
  [...Map.groupBy(rows, keyOf).values()].map((alike) => ({
    ...alike[0]!,
    count: alike.reduce((sum, { count }) => sum + count, 0),
  }))

const cohortsOf = (rows: readonly Standing[]): Cohort[] =>
  sumBy(
    rows.filter(({ span }) => span > 0),
    ({ stage, reach, span }) => `${span} ${reach} ${stage}`,
  ).map(({ stage, reach, span, count }) => ({ stage, reach, span, count }))

const waitsOf = (rows: readonly Standing[]): StepWait[] =>
  sumBy(rows, ({ stage, step, isSlow }) => `${step} ${isSlow} ${stage}`).flatMap(
    ({ stage, step, isSlow, count }) => (step === null ? [] : [{ stage, step, isSlow, count }]),
  )

async function computeFlow(sql: DealSnapshot, reach: Reach, zone: Zone, now: Date): Promise<FlowTotals> {
  const today = dayOf(now, zone)
  const starts = monthStarts(today)
  const days = await readStepDays(sql, reach, zone, starts, noValue(sql), [''])
  const periods = periodsOf(days, today, starts)
  const slow = (step: FlowStep) => slowAfter(periods, step)
  const standings = await readStandings(sql, reach, zone, today, noValue(sql), [''], slow)
  return {
    today,
    periods,
    months: monthsOf(days, today),
    waits: waitsOf(standings),
    cohorts: cohortsOf(standings),
    dealCount: standings.reduce((sum, { count }) => sum + count, 0),
  }
}

/** How totals of flow and of trends are kept. */
export const flowKind = {
  isByZone: true,
  // As much work as the figures of money.
  atOnceMax: 2000,
  // With the same steps and days as the overview.
  validUntil: overviewTotals.validUntil!,
}

/** What the figures of flow count. */
export const flowTotals: TotalsKind<FlowTotals> = { ...flowKind, name: 'flow-1', compute: computeFlow }

/** Returns the values of a field that most deals within reach have, and how many there are. */
export async function readValues(
  sql: DealSnapshot,
  reach: Reach,
  zone: Zone,
  value: Fragment,
): Promise<{ values: string[]; valueCount: number }> {
  const rows = await sql<{ value: string; all: number }[]>`
    select ${value} as value, count(*) over ()::integer as all
    from deals where ${conditionOf(sql, reach, {}, zone)}
    group by 1 order by count(*) desc, 1 limit ${valuesMax}`
  return { values: rows.map((row) => row.value), valueCount: rows[0]?.all ?? 0 }
}

async function computeSlices(
  sql: DealSnapshot,
  reach: Reach,
  zone: Zone,
  now: Date,
  slice: SliceName,
): Promise<SliceTotals> {
  const today = dayOf(now, zone)
  const starts = periodStarts(today)
  const value = sql`coalesce(${sql(columnOf(slice))}, '')`
  const { values, valueCount } = await readValues(sql, reach, zone, value)
  const days = await readStepDays(sql, reach, zone, starts, value, values)
  const standings = await readStandings(sql, reach, zone, today, value, values, noSlow)
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
      cohorts: cohortsOf(standings.filter((row) => row.value === name)),
    })),
  }
}

/** What the figures of flow count by the values of each field. */
export const sliceTotals = Object.fromEntries(
  sliceNames.map((slice) => [
    slice,
    {
      ...flowKind,
      name: `flow-${slice}-1`,
      compute: (sql: DealSnapshot, reach: Reach, zone: Zone, now: Date) =>
        computeSlices(sql, reach, zone, now, slice),
    },
  ]),
) as Record<SliceName, TotalsKind<SliceTotals>>

/** Returns what the figures of flow count among the deals within reach, and as of when if that is not current. */
export const readFlowTotals = (
  means: Means,
  reach: Reach,
  zone: Zone,
  now: Date,
): Promise<Totals<FlowTotals>> => readOrCountTotals(means, reach, flowTotals, zone, now)

/** Returns what they count by the values of a field. */
export const readSliceTotals = (
  means: Means,
  reach: Reach,
  slice: SliceName,
  zone: Zone,
  now: Date,
): Promise<Totals<SliceTotals>> => readOrCountTotals(means, reach, sliceTotals[slice], zone, now)
