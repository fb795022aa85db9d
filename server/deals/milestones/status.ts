import type { KnownDeal } from '../deal.ts'
import { type StageMeaning, evidenceOf } from './evidence.ts'
import { type FlowStep, type LastStepNow, currentStepOf, lastStepOf } from './flow.ts'
import type { MilestoneName } from './milestone.ts'
import { type Blocker, type OpenGate, paymentStatusOf } from './money.ts'
import { isServiceTicket } from './service.ts'
import { stepsOfDeal } from './timeline.ts'

/**
 * The stored status of a deal: every search, count and sort uses it. It changes with the deal, the meaning of
 * its stage, and when a date passes.
 */
export interface DealStatus {
  /** What the deal waits for. */
  hold: Exclude<Blocker, 'onHold'>
  /** Null for a service ticket, which is in no total of money. */
  gate: OpenGate | null
  /** The current measured step, and since when; null if unknown. */
  flowStep: FlowStep | null
  since: string | null
  /** The earliest planned day of a needed step, and that step; ISO 8601. */
  due: string | null
  dueStep: MilestoneName | null
  reached: LastStepNow
  /** Bits of `stepBits`: the completed steps, and those known to be needed. */
  done: number
  toDo: number
  isStageBehind: boolean
  /** When a future date changes this; milliseconds since 1970, null for never. */
  changesAt: number | null
}

/**
 * The bit of each milestone. Stored deals depend on it: a new milestone gets the next number, whatever its
 * position.
 */
export const stepBits: Readonly<Record<MilestoneName, number>> = {
  created: 0,
  survey: 1,
  cad: 2,
  redesign: 3,
  reSign: 4,
  engineering: 5,
  ntp: 6,
  hoa: 7,
  permit: 8,
  install: 9,
  inspection: 10,
  reInstall: 11,
  reInspection: 12,
  funding: 13,
  m2: 14,
}

/** Returns the mask of these milestones. */
export const stepsOf = (names: readonly MilestoneName[]) =>
  names.reduce((mask, name) => mask | (1 << stepBits[name]), 0)

/** Returns a deal's status at `nowMs`, by its stage. */
export function statusOf(deal: KnownDeal, stage: StageMeaning, nowMs: number): DealStatus {
  const evidence = evidenceOf(deal, stage, nowMs)
  const dealSteps = stepsOfDeal(deal, stage, nowMs, evidence)
  const open = dealSteps.filter(({ status }) => status === 'next' || status === 'open')
  const [due] = open.filter(({ planMs }) => planMs !== null).toSorted((a, b) => a.planMs! - b.planMs!)
  const flow = currentStepOf(deal, evidence, nowMs)
  const namesOf = (steps: typeof dealSteps) => steps.map(({ milestone }) => milestone.name as MilestoneName)
  const { hold, gate } = paymentStatusOf(evidence)
  return {
    hold,
    gate: isServiceTicket(deal) ? null : gate,
    flowStep: flow?.step ?? null,
    since: flow?.since ?? null,
    due: due === undefined ? null : new Date(due.planMs!).toISOString(),
    dueStep: due === undefined ? null : (due.milestone.name as MilestoneName),
    reached: lastStepOf(deal, stage.kind, evidence, nowMs),
    done: stepsOf(namesOf(dealSteps.filter(({ status }) => status === 'done'))),
    toDo: stepsOf(namesOf(open)),
    isStageBehind: evidence.isStageBehind,
    changesAt: evidence.changesAt,
  }
}
