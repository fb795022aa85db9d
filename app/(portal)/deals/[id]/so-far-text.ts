import { formatCountOf } from '#app/ui/format.ts'

/** Says for how many days of the calendar a step goes on; under two it does not contradict hours: `since yesterday`. */
export function soFarText(days: number): string {
  if (days < 2) return days < 1 ? 'since today' : 'since yesterday'
  return `${formatCountOf(days, 'day')} so far`
}
