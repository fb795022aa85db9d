/** The usual number of days between two dates of completed deals. */
export interface UsualDays {
  median: number
  /** The 80th percentile in days. */
  slow: number
  /** Number of deals that the durations are based on. */
  count: number
}

/** The number of deals that took this many days. */
export interface DayCount {
  days: number
  count: number
}

/**
 * The number of deals that took this many days for a step, by the span in which the step ended. Spans are
 * numbered from 1, oldest first.
 */
export interface StepDays<Name extends string> extends DayCount {
  step: Name
  span: number
}

/** Minimum number of deals for a usual duration. */
const usualMin = 5

/** The number of deals that completed a step, and its usual duration. Null with too few deals. */
export interface StepUsual {
  count: number
  usual: UsualDays | null
}

/** Returns the number of deals and their usual duration. Several counts may have the same number of days. */
export const stepUsualOf = (counts: readonly DayCount[]): StepUsual => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  usual: usualOf(counts),
})

/** Returns the usual duration, or null with too few deals. */
export function usualOf(counts: readonly DayCount[]): UsualDays | null {
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  if (all < usualMin) return null
  const sorted = counts.toSorted((a, b) => a.days - b.days)
  /** Returns the number of days within which this share of the deals was done. */
  const daysOf = (share: number) => {
    let done = 0
    return sorted.find(({ count }) => (done += count) >= share * all)!.days
  }
  return { median: daysOf(0.5), slow: daysOf(0.8), count: all }
}
