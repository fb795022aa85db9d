import {
  type FlowStep,
  type LastStepNow,
  type StepNow,
  flowFields,
  flowSteps,
  lastSteps,
} from '../deals/flow.ts'
import type { DealFilter, DealSort } from '../search/wire.ts'
import { type StageOf, isClosed, isLost, isMoving, isWon } from '../stages/stage.ts'
import {
  type FlowPeriod,
  daysOfFlow,
  flowPeriods,
  monthStarts,
  periodStarts,
  spansOf,
  usualPeriod,
  type StepDays,
  type StepUsual,
  stepUsualOf,
  sumOf,
} from './periods.ts'
import type {
  CohortFigure,
  FlowFigures,
  PeriodSteps,
  SliceFigures,
  SliceName,
  StepFigure,
} from './reports-wire.ts'

/** Open deals in a step, by stage. */
export interface StepWait {
  stage: string
  step: StepNow
  /** True if the deals have been in the step longer than the 80th percentile, null if unknown. */
  isSlow: boolean | null
  count: number
}

/** Deals created in a span, grouped by the last step reached. */
export interface Cohort {
  stage: string
  reach: LastStepNow
  span: number
  count: number
}

/** The totals that flow figures are computed from, as of a day such as `2026-03-01`. */
export interface FlowTotals {
  today: string
  periods: Record<FlowPeriod, PeriodSteps>
  months: { from: string; steps: Record<FlowStep, StepUsual> }[]
  waits: StepWait[]
  cohorts: Cohort[]
  /** The number of deals: all, with unknown durations, and without a creation date. */
  dealCount: number
  undated: number
  notCreated: number
}

/** The totals for each of the most frequent values of a field. */
export interface SliceTotals {
  today: string
  values: { value: string; periods: Record<FlowPeriod, PeriodSteps>; cohorts: Cohort[] }[]
  valueCount: number
}

const bySteps = <T>(of: (step: FlowStep) => T) =>
  Object.fromEntries(flowSteps.map((step) => [step, of(step)])) as Record<FlowStep, T>

/** Computes the figures of each step by period. */
export function periodsOf(
  rows: readonly StepDays<FlowStep>[],
  today: string,
  starts: string[],
): Record<FlowPeriod, PeriodSteps> {
  const ofStep = Map.groupBy(rows, ({ step }) => step)
  const stepsOf = (period: FlowPeriod) => {
    const { isNow, isPrevious } = spansOf(period, today, starts)
    return bySteps((step) => ({
      now: stepUsualOf(ofStep.get(step)?.filter(({ span }) => isNow(span)) ?? []),
      previous: stepUsualOf(ofStep.get(step)?.filter(({ span }) => isPrevious(span)) ?? []),
    }))
  }
  return Object.fromEntries(flowPeriods.map((period) => [period, stepsOf(period)])) as Record<
    FlowPeriod,
    PeriodSteps
  >
}

/** Computes the figures of each step by month. */
export function monthsOf(rows: readonly StepDays<FlowStep>[], today: string): FlowTotals['months'] {
  const spans = Map.groupBy(rows, ({ step, span }) => `${step} ${span}`)
  return monthStarts(today)
    .map((from, index) => ({
      from,
      steps: bySteps((step) => stepUsualOf(spans.get(`${step} ${index + 1}`) ?? [])),
    }))
    .slice(1)
}

const byEnd = (step: FlowStep): DealSort => ({ field: flowFields[step].to, direction: 'desc' })
const byBegin = (step: FlowStep): DealSort => ({ field: flowFields[step].from, direction: 'asc' })
const longestInStage: DealSort = { field: 'timeInCurrentStage', direction: 'asc' }

/** Returns the filter for deals that completed a step on these days with a known duration. */
const tookFilter = (step: FlowStep, days: { from: string; to: string }): DealFilter => ({
  took: [step],
  dates: { [flowFields[step].to]: { from: days.from, to: days.to } },
})

/**
 * Returns the 80th percentile of a step's duration in days, after which the step is slow, or null if unknown.
 */
export const slowAfter = (periods: FlowTotals['periods'], step: FlowStep) =>
  periods[usualPeriod][step].now.usual?.slow ?? null

function cohortFigures(
  { today, cohorts }: Pick<FlowTotals, 'today' | 'cohorts'>,
  period: FlowPeriod,
  stageOf: StageOf,
): { reached: CohortFigure[]; notKnown: { count: number; filter: DealFilter } } {
  const { isNow } = spansOf(period, today, periodStarts(today))
  const { now: days } = daysOfFlow(period, today)
  const located = cohorts
    .filter(({ span }) => isNow(span))
    .map(({ stage, reach, count }) => {
      const { kind } = stageOf(stage)
      if (isWon(kind)) return { kind, count, at: lastSteps.length - 1 }
      return { kind, count, at: reach === 'unknown' ? notKnown : lastSteps.indexOf(reach) }
    })
  const dates = { createDate: { from: days.from, to: days.to } }
  const reached = lastSteps.map((reach, index): CohortFigure => {
    const stopped = located.filter(({ at }) => at === index)
    return {
      reach,
      count: sumOf(located.filter(({ at }) => at >= index)),
      open: sumOf(stopped.filter(({ kind }) => !isClosed(kind))),
      lost: sumOf(stopped.filter(({ kind }) => isLost(kind))),
      filter: { reached: lastSteps.slice(index), dates },
      openFilter: { reached: [reach], isOpen: true, dates },
      lostFilter: { reached: [reach], isLost: true, dates },
    }
  })
  const left = located.filter(({ at }) => at === notKnown)
  return { reached, notKnown: { count: sumOf(left), filter: { reached: ['unknown'], dates } } }
}

/** Position before all steps, for deals with unknown progress. */
const notKnown = -1

/** Matches no deal. An empty filter would match all deals. */
const nothing: DealFilter = { present: ['createDate'], missing: ['createDate'] }

/** Returns the flow figures of a period. */
export function makeFlowFigures(
  totals: FlowTotals,
  period: FlowPeriod,
  stageOf: StageOf,
): Omit<FlowFigures, 'asOf'> {
  const { today, periods, months, dealCount } = totals
  const days = daysOfFlow(period, today)
  const cohorts = cohortFigures(totals, period, stageOf)
  const waits = totals.waits.filter(({ stage }) => isMoving(stageOf(stage).kind))
  const slowSteps: Partial<Record<FlowStep, number>> = {}
  const steps = flowSteps.map((step): StepFigure => {
    const { now, previous } = periods[period][step]
    const slow = slowAfter(periods, step)
    const mine = waits.filter((wait) => wait.step === step)
    if (slow !== null) slowSteps[step] = slow + 1
    return {
      step,
      now: { ...now, filter: tookFilter(step, days.now), sort: byEnd(step) },
      previous: { ...previous, filter: tookFilter(step, days.previous), sort: byEnd(step) },
      waiting: { count: sumOf(mine), filter: { inStep: { [step]: 0 } }, sort: byBegin(step) },
      slower:
        slow === null
          ? null
          : {
              afterDays: slow,
              count: sumOf(mine.filter(({ isSlow }) => isSlow)),
              filter: { inStep: { [step]: slow + 1 } },
              sort: byBegin(step),
            },
      months: months.map(({ from, steps: ofMonth }) => ({ from, ...ofMonth[step] })),
    }
  })
  return {
    today,
    dealCount,
    days,
    steps,
    slower: {
      count: sumOf(waits.filter(({ isSlow }) => isSlow)),
      filter: Object.keys(slowSteps).length === 0 ? nothing : { inStep: slowSteps },
      sort: longestInStage,
    },
    cohorts: cohorts.reached,
    leftOut: {
      undated: { count: totals.undated, filter: { isUndated: true } },
      stepNotKnown: {
        count: sumOf(waits.filter(({ step }) => step === 'unknown')),
        filter: { inStep: { unknown: 0 } },
      },
      notCreated: { count: totals.notCreated, filter: { missing: ['createDate'] } },
      reachNotKnown: cohorts.notKnown,
    },
  }
}

function sliceFilter(slice: SliceName, value: string): DealFilter {
  if (slice === 'stage') return { stages: [value] }
  return slice === 'pipeline' ? { pipelines: [value] } : { values: { [slice]: [value] } }
}

/**
 * Returns the flow figures for each value of a field, sorted by the number of deals created in the period.
 */
export function makeSliceFigures(
  { today, values, valueCount }: SliceTotals,
  slice: SliceName,
  period: FlowPeriod,
  stageOf: StageOf,
): Omit<SliceFigures, 'asOf'> {
  return {
    slice,
    valueCount,
    values: values
      .map(({ value, periods, cohorts }) => {
        const valueFilter = sliceFilter(slice, value)
        return {
          value,
          filter: valueFilter,
          steps: bySteps((step) => periods[period][step]),
          reached: cohortFigures({ today, cohorts }, period, stageOf).reached.map(
            ({ reach, count, filter }) => ({ reach, count, filter: { ...filter, ...valueFilter } }),
          ),
        }
      })
      .toSorted((a, b) => b.reached[0]!.count - a.reached[0]!.count),
  }
}
