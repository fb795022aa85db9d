import { addDays } from '../../values/zone.ts'
import { type FlowStep, type OngoingStep, flowSteps } from './flow.ts'
import type { Step } from './timeline.ts'

/** Median and 80th percentile of days per step; null with too few deals. */
export type UsualSteps = Record<FlowStep, { median: number; slow: number } | null>

/** When the end of a step is expected: between two days such as `2026-03-01`. */
export interface ExpectedStep {
  from: string
  to: string
  usual: { median: number; slow: number }
  /** Since when the deal has been in the step, ISO 8601; null if it has not begun. */
  since: string | null
  /** Whether that is longer than the 80th percentile. */
  isSlow: boolean
}

/**
 * Returns the expected ends of the current and later steps, by timeline name, while usual durations are
 * known. Overdue steps are expected from today on.
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
    // In progress by its dates, unless it waits for another step such as an HOA.
    const isNow = step === now.step && stateOf(step) !== 'toDo'
    // Payment has no row in the timeline.
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
