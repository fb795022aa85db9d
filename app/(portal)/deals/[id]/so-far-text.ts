import { formatCountOf } from '#app/ui/format.ts'

/** Formats the calendar days a step has taken so far, such as `since yesterday`. */
export function soFarText(days: number): string {
  if (days < 2) return days < 1 ? 'since today' : 'since yesterday'
  return `${formatCountOf(days, 'day')} so far`
}
