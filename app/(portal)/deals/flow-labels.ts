import { formatCountOf } from '#app/ui/format.ts'

/** Describes how long deals take: half of them at most `median` days, four of five at most `slow`. */
export function usualText({ median, slow }: { median: number; slow: number }): string {
  const typical = `Typically ${formatCountOf(median, 'day')}`
  return median === slow ? typical : `${typical}, 80% within ${slow}`
}
