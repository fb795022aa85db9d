import type { IncomingMessage } from 'node:http'
import { partnerOfQuery } from '../accounts/slug.ts'

const header = 'x-page-partner'

/** Copies the partner in a page's query to our own header, and overwrites the client's. */
export function markPartner(request: IncomingMessage, search: string): void {
  const slug = partnerOfQuery(new URLSearchParams(search))
  delete request.headers[header]
  if (slug !== null) request.headers[header] = slug
}

/** Returns the partner in the query of a page, from the header that `markPartner` set. */
export const partnerOfPage = (headers: { get: (name: string) => string | null }): string | null =>
  headers.get(header)
