import { addDays, dayNumberOf, mondayOf, utc, dayOf } from '../values/zone.ts'

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

/** The usual number of days between two dates of completed deals. */
export interface UsualDays {
  median: number
  slow: number
  /** Number of deals that the durations are based on. */
  count: number
}

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
  count: sumOf(counts),
  usual: usualOf(counts),
})

/** Returns the usual duration, or null with too few deals. */
export function usualOf(counts: readonly DayCount[]): UsualDays | null {
  const all = sumOf(counts)
  if (all < usualMin) return null
  const sorted = counts.toSorted((a, b) => a.days - b.days)
  return { median: percentileOf(sorted, 0.5).days, slow: percentileOf(sorted, 0.8).days, count: all }
}

/** Returns the sum of counts. */
export const sumOf = (counted: readonly { count: number }[]) =>
  counted.reduce((sum, { count }) => sum + count, 0)

/** Returns the first of these sorted counts up to which at least a share of all deals is counted. */
export function percentileOf<Counted extends { count: number }>(
  sorted: readonly Counted[],
  share: number,
): Counted {
  const all = sumOf(sorted)
  let counted = 0
  return sorted.find(({ count }) => (counted += count) >= share * all)!
}

/** Returns the ISO week of a day: `2026-W48` for `2026-11-25`. */
export function weekOf(day: string): string {
  // The year of an ISO week is the year of its Thursday (ISO 8601).
  const thursday = addDays(mondayOf(day), 3)
  const year = new Date(thursday).getUTCFullYear()
  const days = dayNumberOf(thursday, utc) - dayNumberOf(`${year}-01-01`, utc)
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`
}

/** Returns the Monday of an ISO week such as `2026-W48`, or null if the week does not exist. */
export function mondayOfWeek(week: string): string | null {
  const [, year, number] = /^(20\d\d)-W(\d\d)$/.exec(week) ?? []
  if (year === undefined) return null
  // January 4 is always in the first week.
  const monday = addDays(mondayOf(`${year}-01-04`), (Number(number) - 1) * 7)
  return weekOf(monday) === week ? monday : null
}

/**
 * Returns the Monday of the week to show on a day. On a Monday, shows the previous week, because nothing has
 * happened in the new week yet.
 */
export const displayedMonday = (today: string) => mondayOf(addDays(today, -1))
