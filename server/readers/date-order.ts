import { readCell } from '../deals/import/cell.ts'

/** A date with ambiguous day and month order, optionally followed by a time. */
const slashed = /^(\d{1,2})\/(\d{1,2})\/(?:\d{4}|\d{2})(?:[ T].{0,20})?$/

/** The day and month order that a file's dates imply. */
export interface DateOrder {
  dayFirst: boolean
  /** Whether a date in the file has only one reading. */
  isSure: boolean
  /** A date that the other order would change; null if there is none. */
  example: SwappedDate | null
}

/** A date in a column, and its day with either the month or the day first. */
export interface SwappedDate {
  title: string
  text: string
  days: { monthFirst: string; dayFirst: string }
}

/**
 * Returns the day and month order of the dates in these columns; null without such dates. The order is month
 * first, as in the United States, unless some dates require day first and none month first.
 */
export function dateOrderOf(
  columns: readonly { title: string; dates: readonly string[] }[],
): DateOrder | null {
  let example: DateOrder['example'] = null
  const only = { month: 0, day: 0 }
  let isSlashed = false
  for (const { title, dates } of columns)
    for (const text of dates) {
      const [, first, second] = slashed.exec(text) ?? []
      if (first === undefined) continue
      isSlashed = true
      const [isMonth, canSwap] = [Number(first) <= 12, Number(second) <= 12]
      if (isMonth && !canSwap) only.month++
      else if (!isMonth && canSwap) only.day++
      else if (isMonth && Number(first) !== Number(second)) example ??= swapped(title, text)
    }
  if (!isSlashed) return null
  return { dayFirst: only.day > 0 && only.month === 0, isSure: only.day + only.month > 0, example }
}

function swapped(title: string, text: string): SwappedDate {
  const dayOf = (dayFirst: boolean) => String(readCell('time', text, { dayFirst })).slice(0, 10)
  return { title, text, days: { monthFirst: dayOf(false), dayFirst: dayOf(true) } }
}
