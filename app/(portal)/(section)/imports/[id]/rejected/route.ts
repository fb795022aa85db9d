import { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import { procedures, streamProcedures } from '#app/trpc-server.ts'
import { statusOf, toRefusal } from '#server/errors.ts'

/** The rejected lines of an import as a CSV file. */
export async function GET(_request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  try {
    const { imports } = await procedures()
    const id = Number((await params).id)
    const { rejectedName } = await imports.one({ id })
    const lines = await (await streamProcedures()).imports.rejected({ id })
    // What can go wrong goes wrong here, before the answer has begun.
    const first = await lines.next()
    return new Response(Readable.toWeb(Readable.from(allOf(first, lines))) as ReadableStream, {
      headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': contentDisposition(rejectedName), 'Cache-Control': 'no-store' },
    })
  } catch (error) {
    const { code, message } = toRefusal(error)
    return new Response(message, { status: statusOf[code], headers: { 'Cache-Control': 'no-store' } })
  }
}

async function* allOf(first: IteratorResult<Uint8Array, void>, lines: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array> {
  try {
    for (let some = first; some.done !== true; some = await lines.next()) yield some.value
  } finally {
    await lines.return()
  }
}
