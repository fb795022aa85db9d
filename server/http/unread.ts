import type { ServerResponse } from 'node:http'
import { type ServicesUse, recordUse } from '../runtime/services.ts'

/**
 * Handles a POST to a page. Next.js responds with 500 to a form that it cannot parse; this changes that
 * status to 400.
 */
export function rejectUnread<T>(response: ServerResponse, work: () => T): T {
  const use: ServicesUse = { isUsed: false }
  const { writeHead } = response
  response.writeHead = ((status: number, ...rest: never[]) =>
    writeHead.call(response, status === 500 && !use.isUsed ? 400 : status, ...rest)) as typeof writeHead
  return recordUse(use, work)
}
