import type { IncomingMessage } from 'node:http'
import { partnerOfQuery } from '../accounts/slug.ts'

const header = 'x-page-partner'

/** Notes the partner that the address of a request names where its pages find it, over what the client may have put there. */
export function markPartner(request: IncomingMessage, search: string): void {
  const slug = partnerOfQuery(new URLSearchParams(search))
  delete request.headers[header]
  if (slug !== null) request.headers[header] = slug
}

/** Returns the partner that the address of a request names, as `partnerOfQuery` does, once it came through the front door. */
export const partnerOfPage = (headers: { get: (name: string) => string | null }): string | null =>
  headers.get(header)
