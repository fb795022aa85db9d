import { secondMs } from '#server/values/units.ts'
import { type Moment, type Zone, isRepeated, readTime, wallClock } from '#server/values/zone.ts'

/** A column of an exported file. */
export interface FileColumn<Row> {
  title: string
  cell: (row: Row) => string
}

/** Returns the title of a column with times, such as `Updated (America/Los_Angeles)`. */
export const inZone = (title: string, zone: Zone) => `${title} (${zone})`

/**
 * Formats a time in a way that spreadsheets recognize and imports read back exactly: `2026-03-01 17:20`, with
 * seconds if the time has any. Dates without a time are formatted like `2026-03-01`.
 */
export function timeCell(time: Moment, zone: Zone): string {
  const { ms, isDate, zone: readIn } = readTime(time, zone)
  const local = wallClock(ms, readIn)
  if (isDate) return local.slice(0, 10)
  if (isRepeated(ms, readIn)) return new Date(ms).toISOString()
  const fraction = ((ms % secondMs) + secondMs) % secondMs
  if (fraction !== 0) return `${local}.${String(fraction).padStart(3, '0')}`
  return local.endsWith(':00') ? local.slice(0, 16) : local
}
