import { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import { stringify } from 'csv-stringify/sync'
import { statusOf, toRefusal } from '#server/errors.ts'

/** A column of a file. */
export interface FileColumn<Row> {
  title: string
  cell: (row: Row) => string
}

/** What is read, some rows at a time, as a CSV file of this name that is sent while it is made; what is refused, in words. */
export async function csvAnswer<Row>(name: string, columns: readonly FileColumn<Row>[], read: () => Promise<AsyncGenerator<Row[], void>>): Promise<Response> {
  try {
    const found = await read()
    // What can go wrong goes wrong here, before the answer has begun.
    const first = await found.next()
    return new Response(Readable.toWeb(Readable.from(linesOf(columns, first, found))) as ReadableStream, {
      headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': contentDisposition(name), 'Cache-Control': 'no-store' },
    })
  } catch (error) {
    const { code, message } = toRefusal(error)
    return new Response(code === 'SERVICE_UNAVAILABLE' ? 'Too many files are being made at the moment. Please try again in a minute.' : message, { status: statusOf[code], headers: { 'Cache-Control': 'no-store' } })
  }
}

async function* linesOf<Row>(columns: readonly FileColumn<Row>[], first: IteratorResult<Row[], void>, found: AsyncGenerator<Row[], void>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  // The mark at the beginning tells spreadsheets that it is UTF-8; cells that they would take for a formula are made text.
  const lines = (rows: string[][], bom = false) => encoder.encode(stringify(rows, { bom, escape_formulas: true, record_delimiter: 'windows' }))
  try {
    yield lines([columns.map(({ title }) => title)], true)
    for (let some = first; some.done !== true; some = await found.next()) yield lines(some.value.map((row) => columns.map(({ cell }) => cell(row))))
  } finally {
    await found.return()
  }
}
