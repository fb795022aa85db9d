import { formatCountOf } from '#app/ui/format.ts'

/** Describes durations: the median and the 80th percentile. */
export function usualText({ median, slow }: { median: number; slow: number }): string {
  const typical = `Typically ${formatCountOf(median, 'day')}`
  return median === slow ? typical : `${typical}, 80% within ${slow}`
}
