import contentDisposition from 'content-disposition'
import { type Write, streamed } from '#server/http/streamed.ts'
import { ApiError, errorName, statusOf, toApiError } from '#server/protocol/errors.ts'
import { sharedServices } from '#server/runtime/services.ts'

/** A CSV file that is streamed while it is written. */
export interface CsvFile {
  name: string
  write: (write: Write) => Promise<void>
}

/**
 * Answers GET with the file and HEAD with its headers; `open` checks the request and holds no resources yet. A failure before
 * the first line is answered with a message.
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
 * Rejects NUL in a query: pages strip it, and the export would otherwise contain more than was searched for.
 */
function refuseNul(request: Request): void {
  if ([...new URL(request.url).searchParams.values()].some((value) => value.includes('\0')))
    throw new ApiError('BAD_REQUEST', 'The URL is not valid')
}

/** Logs an unexpected error by name alone, because its message may quote a deal. */
function logAndThrow(error: unknown): never {
  if (toApiError(error).code === 'INTERNAL_SERVER_ERROR')
    sharedServices().log.error({ error: errorName(error) }, 'download failed')
  throw error
}
