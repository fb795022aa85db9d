import type { IncomingMessage } from 'node:http'
import { partnerOfQuery } from '../accounts/slug.ts'

const header = 'x-page-partner'

/**
 * Sets the partner named in the query of a page request in a header of our own, replacing what the client may
 * have sent.
 */
export function markPartner(request: IncomingMessage, search: string): void {
  const slug = partnerOfQuery(new URLSearchParams(search))
  delete request.headers[header]
  if (slug !== null) request.headers[header] = slug
}

/**
 * Returns the partner named in the query of a page request that passed the front door, as `partnerOfQuery`
 * does.
 */
export const partnerOfPage = (headers: { get: (name: string) => string | null }): string | null =>
  headers.get(header)
