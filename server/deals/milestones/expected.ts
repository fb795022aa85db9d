import { addDays } from '../../values/zone.ts'
import { type FlowStep, type OngoingStep, flowSteps } from './flow.ts'
import type { Step } from './timeline.ts'

/** Median and 80th percentile of the days that each step takes; null if there are too few deals. */
export type UsualSteps = Record<FlowStep, { median: number; slow: number } | null>

/** When a step is expected to end: between two days, such as `2026-03-01`. */
export interface ExpectedStep {
  from: string
  to: string
  usual: { median: number; slow: number }
  /** When the step began, ISO 8601; null if it has not begun. */
  since: string | null
  /** True if the step has taken longer than the 80th percentile. */
  isSlow: boolean
}

/**
 * Returns when the current and later steps are expected to end, by name of the step in the timeline. Stops at
 * the first step without a usual duration. If an expected day has passed, later steps are counted from today.
 */
export function expectedSteps(
  now: OngoingStep | null,
  usual: UsualSteps,
  timeline: readonly Step[],
  today: string,
): Partial<Record<Step['name'], ExpectedStep>> {
  const expected: Partial<Record<Step['name'], ExpectedStep>> = {}
  if (now === null) return expected
  const stateOf = (step: FlowStep) => timeline.find(({ name }) => name === step)?.state
  const permit = stateOf('permit')
  let [from, to] = [addDays(today, -now.days), addDays(today, -now.days)]
  for (const step of flowSteps.slice(flowSteps.indexOf(now.step))) {
    if (step === 'permitSubmission' || step === 'permit') {
      if (permit === 'notRequired') continue
      if (permit === 'unknown') break
    }
    const days = usual[step]
    if (days === null) break
    from = addDays(from, days.median)
    to = addDays(to, days.slow)
    // The current step is in progress, unless the deal waits for another step, such as HOA approval.
    const isNow = step === now.step && stateOf(step) !== 'toDo'
    // Permit submission has no row of its own in the timeline.
    if (step !== 'permitSubmission')
      expected[step] = {
        from,
        to,
        usual: days,
        since: isNow ? now.since : null,
        isSlow: isNow && now.days > days.slow,
      }
    if (from < today) from = today
    if (to < today) to = today
  }
  return expected
}
