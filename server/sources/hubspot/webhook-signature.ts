import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { minuteMs } from '../../values/units.ts'
import type { HintFormat } from '../crm-source.ts'
import { announcedIn } from './webhook-events.ts'

// https://developers.hubspot.com/docs/api/webhooks/validating-requests

/** A request that claims to be from HubSpot. */
export interface SignedRequest {
  method: string
  /** As called by HubSpot, with protocol and host. */
  url: string
  body: Buffer
  /** `X-HubSpot-Request-Timestamp`: milliseconds since 1970. */
  timestamp: string
  /** `X-HubSpot-Signature-v3`. */
  signature: string
}

const ageMaxMs = 5 * minuteMs

/** Returns whether the headers may belong to a request that HubSpot signed within five minutes. */
const isRecentStamp = (
  { timestamp, signature }: Pick<SignedRequest, 'timestamp' | 'signature'>,
  nowMs: number,
): boolean =>
  /^\d{1,15}$/.test(timestamp) &&
  Math.abs(nowMs - Number(timestamp)) <= ageMaxMs &&
  /^[\w+/]{43}=$/.test(signature)

/** Returns whether HubSpot has signed this request within the last five minutes, with this app's client secret. */
function isSignedByHubspot(request: SignedRequest, clientSecret: string, nowMs: number): boolean {
  if (!isRecentStamp(request, nowMs)) return false
  const given = Buffer.from(request.signature)
  const expected = Buffer.from(signHubspotRequest(request, clientSecret))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Returns the signature, version 3, of a request. */
export function signHubspotRequest(
  { method, url, body, timestamp }: Omit<SignedRequest, 'signature'>,
  clientSecret: string,
): string {
  return createHmac('sha256', clientSecret)
    .update(`${method}${url}`)
    .update(body)
    .update(timestamp)
    .digest('base64')
}

const stampOf = (headers: IncomingHttpHeaders) => ({
  timestamp: headers['x-hubspot-request-timestamp']?.toString() ?? '',
  signature: headers['x-hubspot-signature-v3']?.toString() ?? '',
})

/** How HubSpot announces changes. */
export const hubspotHints: HintFormat = {
  isRecent: (headers, nowMs) => isRecentStamp(stampOf(headers), nowMs),
  isSigned: ({ headers, ...request }, secret, nowMs) =>
    isSignedByHubspot({ ...request, ...stampOf(headers) }, secret, nowMs),
  announcedIn,
}
