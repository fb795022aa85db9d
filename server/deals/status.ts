import { type Blocker, type OpenGate, paymentStatusOf } from './blocker.ts'
import type { KnownDeal } from './deal.ts'
import { type StageMeaning, evidenceOf, isServiceTicket } from './evidence.ts'
import { type FlowStep, type LastStepNow, currentStepOf, lastStepOf } from './flow.ts'
import type { MilestoneName } from './milestone.ts'
import { stepsOfDeal } from './timeline.ts'

/**
 * The stored status of a deal, on which all searches, counts and sorts are based. It changes when the deal
 * changes, when the meaning of its stage changes, or when a date passes.
 */
export interface DealStatus {
  hold: Exclude<Blocker, 'onHold'>
  /** Null for a service ticket, which is excluded from all totals of money. */
  gate: OpenGate | null
  /** The current measured step, and when it began; null if unknown. */
  flowStep: FlowStep | null
  since: string | null
  /** The earliest planned day of a required step (ISO 8601), and that step. */
  due: string | null
  dueStep: MilestoneName | null
  reached: LastStepNow
  /** Bits of `stepBits` for completed steps, and for steps known to be required. */
  done: number
  toDo: number
  isStageBehind: boolean
  /** When a date passes that changes this status, in milliseconds since 1970; null if no date will. */
  changesAt: number | null
}

/**
 * The bit of each milestone. These numbers are stored, so a new milestone must get the next number, whatever
 * its position in the list.
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

/** Returns the bits of these milestones. */
export const stepsOf = (names: readonly MilestoneName[]) =>
  names.reduce((mask, name) => mask | (1 << stepBits[name]), 0)

/** Returns the status at `nowMs` of a deal in this stage. */
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
