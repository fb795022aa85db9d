import type { IncomingMessage } from 'node:http'
import { partnerOfQuery } from '../accounts/partner.ts'

const header = 'x-page-partner'

/** Stores the partner named in a page's query in our own header, replacing any value that the client sent. */
export function markPartner(request: IncomingMessage, search: string): void {
  const slug = partnerOfQuery(new URLSearchParams(search))
  delete request.headers[header]
  if (slug !== null) request.headers[header] = slug
}

/** Returns the partner named in a page's query, from the header that `markPartner` has set. */
export const partnerOfPage = (headers: { get: (name: string) => string | null }): string | null =>
  headers.get(header)
