import type { IncomingMessage } from 'node:http'
import { partnerOfQuery } from '../accounts/slug.ts'

const header = 'x-page-partner'

/** Copies the partner in a page's query into our own header, overwriting any from the client. */
export function markPartner(request: IncomingMessage, search: string): void {
  const slug = partnerOfQuery(new URLSearchParams(search))
  delete request.headers[header]
  if (slug !== null) request.headers[header] = slug
}

/** Returns the partner in the query of a page request that passed the front door, like `partnerOfQuery`. */
export const partnerOfPage = (headers: { get: (name: string) => string | null }): string | null =>
  headers.get(header)
