/** Days between two dates of completed deals; null with too few. */
export interface UsualDays {
  median: number
  /** The 80th percentile. */
  slow: number
  /** The number of deals it is based on. */
  count: number
}

/** The number of deals by days taken. */
export interface DayCount {
  days: number
  count: number
}

/** Number of deals by days that a step took and the span in which it ended; spans count from 1, oldest first. */
export interface StepDays<Name extends string> extends DayCount {
  step: Name
  span: number
}

/** Minimum number of deals for a usual duration. */
const usualMin = 5

/** The number of deals that took a step, and its usual duration; null with too few deals. */
export interface StepUsual {
  count: number
  usual: UsualDays | null
}

/** Returns the number of deals and their usual duration. The same number of days may occur several times. */
export const stepUsualOf = (counts: readonly DayCount[]): StepUsual => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  usual: usualOf(counts),
})

/** Returns the usual duration; null with too few deals. */
export function usualOf(counts: readonly DayCount[]): UsualDays | null {
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  if (all < usualMin) return null
  const sorted = counts.toSorted((a, b) => a.days - b.days)
  /** Returns the minimum days in which this share of the deals was done. */
  const daysOf = (share: number) => {
    let done = 0
    return sorted.find(({ count }) => (done += count) >= share * all)!.days
  }
  return { median: daysOf(0.5), slow: daysOf(0.8), count: all }
}
