import { addDays, dayOf, mondayOf, utc } from '../values/zone.ts'

/** Lengths of periods in months, including the current month up to today. */
export const flowPeriods = ['3', '6', '12', '24'] as const
export type FlowPeriod = (typeof flowPeriods)[number]

/** The period that usual durations are computed from. */
export const usualPeriod: FlowPeriod = '12'

/** The first and last day, such as `2026-03-01`. */
export interface DaySpan {
  from: string
  to: string
}

/** Returns the first day of the month that many months before the month of a day. */
function monthBefore(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return dayOf(new Date(Date.UTC(year, month - 1 - months, 1)), utc)
}

/** Returns the days of a period that ends today, and of the previous period of equal length. */
export function daysOfFlow(period: FlowPeriod, today: string): { now: DaySpan; previous: DaySpan } {
  const months = Number(period)
  const from = monthBefore(today, months - 1)
  return {
    now: { from, to: today },
    previous: { from: monthBefore(today, 2 * months - 1), to: addDays(from, -1) },
  }
}

/** Number of months reported individually. */
const monthCount = 24

/**
 * Returns the first days of the months reported individually, preceded by the start of the equally long
 * previous period. The current month is last.
 */
export const monthStarts = (today: string) => [
  monthBefore(today, 2 * monthCount - 1),
  ...Array.from({ length: monthCount }, (_, index) => monthBefore(today, monthCount - 1 - index)),
]

/** Returns the first day of each period and of its previous period, longest period first. */
export const periodStarts = (today: string) => [
  monthBefore(today, 2 * monthCount - 1),
  ...flowPeriods.toReversed().map((period) => daysOfFlow(period, today).now.from),
]

/** Returns the Mondays of the last weeks. The current week is last. */
export const mondaysUntil = (today: string, weekCount: number): string[] =>
  Array.from({ length: weekCount }, (_, index) => addDays(mondayOf(today), (index - weekCount + 1) * 7))

/** Returns the spans of a period and of the previous period. `starts` are the first days of all spans. */
export function spansOf(period: FlowPeriod, today: string, starts: string[]) {
  const { now, previous } = daysOfFlow(period, today)
  const isIn = (days: { from: string; to: string }) => (span: number) =>
    starts[span - 1]! >= days.from && starts[span - 1]! <= days.to
  return { isNow: isIn(now), isPrevious: isIn(previous) }
}
