import { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import { stringify } from 'csv-stringify/sync'
import { procedures } from '#app/trpc-server.ts'
import { statusOf, toRefusal } from '#server/errors.ts'
import type { Deal } from '#server/deals/deal.ts'
import { columnsOf, filterOf, readDealsAddress, sortOf } from '../address.ts'
import { dayOf } from '../dates.ts'
import { type FileColumn, fileColumns } from './cells.ts'

/** The deals of an address of the deals page as a CSV file: the columns on the screen, or all of them with `all=1`. */
export async function GET(request: Request): Promise<Response> {
  const state = readDealsAddress(request)
  const nowMs = Date.now()
  const today = dayOf(nowMs)
  const columns = fileColumns(new URL(request.url).searchParams.get('all') === '1' ? 'all' : columnsOf(state), nowMs)
  try {
    const { deals } = await procedures()
    const found = await deals.export({ filter: filterOf(state, today), sort: sortOf(state) })
    // What can go wrong goes wrong here, before the answer has begun.
    const first = await found.next()
    return new Response(Readable.toWeb(Readable.from(linesOf(columns, first, found))) as ReadableStream, {
      headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': contentDisposition(`Deals ${today}.csv`), 'Cache-Control': 'no-store' },
    })
  } catch (error) {
    const { code, message } = toRefusal(error)
    return new Response(code === 'SERVICE_UNAVAILABLE' ? 'Too many files are being made at the moment. Please try again in a minute.' : message, { status: statusOf[code], headers: { 'Cache-Control': 'no-store' } })
  }
}

async function* linesOf(columns: FileColumn[], first: IteratorResult<Deal[], void>, found: AsyncGenerator<Deal[], void>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  // The mark at the beginning tells spreadsheets that it is UTF-8; cells that they would take for a formula are made text.
  const lines = (rows: string[][], bom = false) => encoder.encode(stringify(rows, { bom, escape_formulas: true, record_delimiter: 'windows' }))
  try {
    yield lines([columns.map(({ title }) => title)], true)
    for (let some = first; some.done !== true; some = await found.next()) yield lines(some.value.map((deal) => columns.map(({ cell }) => cell(deal))))
  } finally {
    await found.return()
  }
}
