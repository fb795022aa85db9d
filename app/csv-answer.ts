import contentDisposition from 'content-disposition'
import { ApiError, errorName, statusOf, toApiError } from '#server/errors.ts'
import { type Write, streamed } from '#server/http/streamed.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { byteOrderMark, csvLines } from '#server/values/csv.ts'
import type { FileColumn } from './file-column.ts'

/** Passes all rows to `take` in batches. */
export type ReadRows<Row> = (take: (rows: Row[]) => Promise<void>) => Promise<void>

/**
 * Responds with rows as a CSV file. `open` validates the request and returns a function that reads the rows.
 */
export function csvAnswer<Row>(
  request: Request,
  name: string,
  columns: readonly FileColumn<Row>[],
  open: () => Promise<ReadRows<Row>>,
): Promise<Response> {
  return answerDownload(request, async () => ({ name, write: csvOf(columns, await open()) }))
}

// Maximum time until the client gets the header, even if all deals have to be sorted first.
const timeoutMs = 100

function csvOf<Row>(columns: readonly FileColumn<Row>[], read: ReadRows<Row>): CsvFile['write'] {
  const encoder = new TextEncoder()
  const head = encoder.encode(byteOrderMark + csvLines([columns.map(({ title }) => title)]))
  return async (write) => {
    let begun: Promise<void> | null = null
    const begin = () => (begun ??= write(head))
    // Delay the header a little: if the query fails early, the response can still be an error message.
    const late = setTimeout(() => void begin().catch(() => {}), timeoutMs)
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

/** A CSV file that is streamed while it is written. */
interface CsvFile {
  name: string
  write: (write: Write) => Promise<void>
}

/**
 * Responds to GET with the file, and to HEAD with the headers only. `open` validates the request without
 * allocating resources. If the file fails before its first line, the response is an error message.
 */
export async function answerDownload(request: Request, open: () => Promise<CsvFile>): Promise<Response> {
  try {
    refuseNul(request)
    const file = await open()
    const body =
      request.method === 'HEAD'
        ? null
        : await streamed(request, (write) => file.write(write).catch(logAndThrow))
    return new Response(body, {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': contentDisposition(file.name),
        'Cache-Control': 'no-store',
      },
    })
  } catch (error) {
    const { code, message, headers } = toApiError(error)
    return new Response(message, {
      status: statusOf[code],
      headers: { ...headers, 'Cache-Control': 'no-store' },
    })
  }
}

/**
 * Rejects NUL characters in the query. Pages drop them, so the export would contain more than the page shows.
 */
function refuseNul(request: Request): void {
  if ([...new URL(request.url).searchParams.values()].some((value) => value.includes('\0')))
    throw new ApiError('BAD_REQUEST', 'The URL is not valid')
}

/** Logs only the name of an unexpected error, because its message may quote a deal. */
function logAndThrow(error: unknown): never {
  if (toApiError(error).code === 'INTERNAL_SERVER_ERROR')
    sharedServices().log.error({ error: errorName(error) }, 'download failed')
  throw error
}
