import type { KnownDeal } from '../deal.ts'
import { type StageMeaning, evidenceOf } from './evidence.ts'
import { type LastStep, type FlowStep, currentStepOf, lastStepOf } from './flow.ts'
import { type MilestoneName, milestones } from './milestone.ts'
import { type Hold, type OpenGate, paymentStatusOf } from './money.ts'
import { courseOf } from './timeline.ts'

/**
 * Where a deal is, as it is stored beside it: what finds, counts and sorts deals reads this, and nothing says it again in
 * another way. It changes with the deal, with what its stage means, and when a date comes.
 */
export interface DealStatus {
  /** What it waits for. */
  hold: Exclude<Hold, 'onHold'>
  gate: OpenGate
  /** The step whose length is measured in which it is, and since when; null when that is not known. */
  flowStep: FlowStep | null
  since: string | null
  /** The day for which the first of the steps that it still needs is planned, and which; ISO 8601. */
  due: string | null
  dueStep: MilestoneName | null
  reached: LastStep
  /** Bits of `stepBits`: the steps that are done, and those that it is known to need. */
  done: number
  toDo: number
  isStageBehind: boolean
  /** When a date comes that changes this; milliseconds since 1970, null for never. */
  changesAt: number | null
}

/** The bit of each milestone. Stored deals depend on it: a new one gets the next number, whatever its place. */
const stepBits = Object.fromEntries(milestones.map(({ name }, bit) => [name, bit])) as Readonly<
  Record<MilestoneName, number>
>

/** Returns the mask of these milestones. */
export const stepsOf = (names: readonly MilestoneName[]) =>
  names.reduce((mask, name) => mask | (1 << stepBits[name]), 0)

/** Returns where a deal in a stage is at `nowMs`, milliseconds since 1970. */
export function statusOf(deal: KnownDeal, stage: StageMeaning, nowMs: number): DealStatus {
  const evidence = evidenceOf(deal, stage, nowMs)
  const course = courseOf(deal, stage, nowMs, evidence)
  const open = course.filter(({ status }) => status === 'next' || status === 'open')
  const [due] = open.filter(({ planMs }) => planMs !== null).toSorted((a, b) => a.planMs! - b.planMs!)
  const flow = currentStepOf(deal, evidence, nowMs)
  const namesOf = (steps: typeof course) => steps.map(({ milestone }) => milestone.name as MilestoneName)
  const { hold, gate } = paymentStatusOf(evidence)
  return {
    hold,
    gate,
    flowStep: flow?.step ?? null,
    since: flow?.since ?? null,
    due: due === undefined ? null : new Date(due.planMs!).toISOString(),
    dueStep: due === undefined ? null : (due.milestone.name as MilestoneName),
    reached: lastStepOf(evidence),
    done: stepsOf(namesOf(course.filter(({ status }) => status === 'done'))),
    toDo: stepsOf(namesOf(open)),
    isStageBehind: evidence.isStageBehind,
    changesAt: evidence.changesAt,
  }
}
