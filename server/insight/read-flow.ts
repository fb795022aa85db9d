import type { TenantScope } from '../accounts/partner.ts'
import { withTimeout } from '../admission/with-timeout.ts'
import type { ReadUsual } from '../deals/derived-columns.ts'
import { flowSteps } from '../deals/flow.ts'
import { listIdOf } from '../deals/list-store.ts'
import type { UsualSteps } from '../deals/payment.ts'
import { type TotalsDeps, readOrCountTotals } from '../search/read-totals.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { minuteMs } from '../values/units.ts'
import type { Zone } from '../values/zone.ts'
import { flowTotals, sliceTotals } from './flow-store.ts'
import { makeFlowFigures, makeSliceFigures } from './flow.ts'
import { type FlowPeriod, usualPeriod } from './periods.ts'
import type { FlowFigures, SliceFigures, SliceName } from './reports-wire.ts'

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

const lifetimeMs = 10 * minuteMs
const maxEntries = 1000
/** Maximum wait for the durations. After that, rows are shown without expected payments. */
const timeoutMs = 1000

/**
 * Returns a reader that caches usual durations for ten minutes. While they are reloaded, it returns the old
 * ones, or null if there are none yet.
 */
export function cacheUsual(
  read: (tenant: TenantScope, zone: Zone) => Promise<UsualSteps>,
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
      const reading = read(tenant, zone).then(
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
