import type { ServerResponse } from 'node:http'
import { type Use, noteUse } from '../runtime/services.ts'

/**
 * Does the work that answers a POST to a page, and makes a 500 a 400 where nothing of ours can have failed: the services
 * were not asked for, because Next could not read what was sent. Next says 500 to a broken form or action.
 */
export function refuseUnread<T>(response: ServerResponse, work: () => T): T {
  const use: Use = { isUsed: false }
  const { writeHead } = response
  response.writeHead = ((status: number, ...rest: never[]) =>
    writeHead.call(response, status === 500 && !use.isUsed ? 400 : status, ...rest)) as typeof writeHead
  return noteUse(use, work)
}
