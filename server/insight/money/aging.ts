import type { TimeField } from '../../deals/columns.ts'
import type { DealFilter } from '../../search/wire.ts'
import { addDays } from '../../values/zone.ts'

/** How long deals have been at a gate, in days. `unknown` if the date is missing. */
export const ages = ['0-7', '8-14', '15-30', '31-60', 'over-60', 'unknown'] as const
export type Age = (typeof ages)[number]

/** The upper limits, in days, of the ages before `over-60`. */
export const ageEnds = [7, 14, 30, 60] as const

/** Returns the filter for deals of an age on a day such as `2026-03-01`, based on this date field. */
export function ageFilter(field: TimeField, age: Age, today: string): DealFilter {
  if (age === 'unknown') return { missing: [field] }
  const index = ages.indexOf(age)
  const [end, before] = [ageEnds[index], ageEnds[index - 1]]
  return {
    dates: {
      [field]: {
        ...(end !== undefined && { from: addDays(today, -end) }),
        // Without an upper bound, future dates count as the youngest age.
        ...(before !== undefined && { to: addDays(today, -before - 1) }),
      },
    },
  }
}
