import { type Moment, type Zone, readTime, wallClock } from '#server/protocol/zone.ts'

/** A column of a file. */
export interface FileColumn<Row> {
  title: string
  cell: (row: Row) => string
}

/** Returns the title of a column of times: `Updated (America/Los_Angeles)`. */
export const inZone = (title: string, zone: Zone) => `${title} (${zone})`

/**
 * Formats a time to the minute, in a form that spreadsheets recognize: `2026-03-01 17:20`; a date without a time as
 * `2026-03-01`.
 */
export function timeCell(time: Moment, zone: Zone): string {
  const { ms, isDate, zone: readIn } = readTime(time, zone)
  return wallClock(ms, readIn).slice(0, isDate ? 10 : 16)
}
