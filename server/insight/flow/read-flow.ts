import type { TenantScope } from '../../accounts/partner.ts'
import type { UsualSteps } from '../../deals/milestones/expected.ts'
import { flowSteps } from '../../deals/milestones/flow.ts'
import { type TotalsDeps, readOrCountTotals } from '../../search/totals/read-totals.ts'
import { makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import type { Zone } from '../../values/zone.ts'
import { type FlowPeriod, usualPeriod } from '../period.ts'
import type { StepUsual } from '../usual.ts'
import { makeFlowFigures, makeSliceFigures } from './flow.ts'
import { flowTotals, sliceTotals } from './store.ts'
import type { FlowFigures, FlowReport, SliceFigures, SliceName } from './wire.ts'

/** Returns the flow figures of the tenant's deals at `now`, with days in the zone. */
export async function readFlow(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  period: FlowPeriod,
): Promise<FlowFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, tenant, flowTotals, zone, now),
    readStages(deps.db, tenant),
  ])
  return { asOf, ...makeFlowFigures(totals, period, makeStageOf(stages)) }
}

/** Returns the flow figures of the tenant's deals for each value of a field. */
export async function readSlices(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
  slice: SliceName,
  period: FlowPeriod,
): Promise<SliceFigures> {
  const [{ totals, asOf }, stages] = await Promise.all([
    readOrCountTotals(deps, tenant, sliceTotals[slice], zone, now),
    readStages(deps.db, tenant),
  ])
  return { asOf, ...makeSliceFigures(totals, slice, period, makeStageOf(stages)) }
}

/** Returns the recent durations of each step in days. */
export async function readUsualSteps(
  deps: TotalsDeps,
  tenant: TenantScope,
  zone: Zone,
  now: Date,
): Promise<UsualSteps> {
  const { totals } = await readOrCountTotals(deps, tenant, flowTotals, zone, now)
  const steps = totals.periods[usualPeriod]
  return Object.fromEntries(flowSteps.map((step) => [step, steps[step].now.usual])) as UsualSteps
}

const takenOf = ({ count, usual }: StepUsual) => ({
  count,
  median: usual?.median ?? null,
  slow: usual?.slow ?? null,
})

/** Converts the flow figures to REST form. */
export function flowReportOf(
  { asOf, today, days, steps, cohorts, leftOut }: FlowFigures,
  now: Date,
): FlowReport {
  return {
    asOf: asOf ?? now.toISOString(),
    today,
    from: days.now.from,
    previousFrom: days.previous.from,
    steps: steps.map(({ step, now: taken, previous, waiting, slower, months }) => ({
      step,
      taken: takenOf(taken),
      previous: takenOf(previous),
      waiting: waiting.count,
      slower: slower?.count ?? null,
      months: months.map((month) => ({ from: month.from, ...takenOf(month) })),
    })),
    reached: cohorts.map(({ reach, count, open, lost }) => ({ reach, count, open, lost })),
    leftOut: {
      undated: leftOut.undated.count,
      stepNotKnown: leftOut.stepNotKnown.count,
      notCreated: leftOut.notCreated.count,
      reachNotKnown: leftOut.reachNotKnown.count,
    },
  }
}
