import { byteOrderMark, csvLines } from '#server/protocol/csv.ts'
import { type Moment, type Zone, readTime, wallClock } from '#server/protocol/zone.ts'
import { type CsvFile, answerDownload } from './download.ts'

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

/** Passes on all rows in batches. */
export type ReadRows<Row> = (take: (rows: Row[]) => Promise<void>) => Promise<void>

/** Answers with rows as a CSV file of this name; `open` checks the request and returns what reads the rows. */
export function csvAnswer<Row>(
  request: Request,
  name: string,
  columns: readonly FileColumn<Row>[],
  open: () => Promise<ReadRows<Row>>,
): Promise<Response> {
  return answerDownload(request, async () => ({ name, write: csvOf(columns, await open()) }))
}

// A client hears within this time that its file is being made, also when all deals are sorted first.
const patienceMs = 100

function csvOf<Row>(columns: readonly FileColumn<Row>[], read: ReadRows<Row>): CsvFile['write'] {
  const encoder = new TextEncoder()
  const head = encoder.encode(byteOrderMark + csvLines([columns.map(({ title }) => title)]))
  return async (write) => {
    let begun: Promise<void> | null = null
    const begin = () => (begun ??= write(head))
    // Written with the first rows if they come soon, so that an early failure can still be answered with a message.
    const late = setTimeout(() => void begin().catch(() => {}), patienceMs)
    try {
      await read(async (rows) => {
        const body = encoder.encode(csvLines(rows.map((row) => columns.map(({ cell }) => cell(row)))))
        await begin()
        await write(body)
      })
      await begin()
    } finally {
      clearTimeout(late)
    }
  }
}
