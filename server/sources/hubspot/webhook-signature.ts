import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { minuteMs } from '../../values/units.ts'

// https://developers.hubspot.com/docs/api/webhooks/validating-requests

/** A request that claims to come from HubSpot. */
interface SignedRequest {
  method: string
  /** URL that HubSpot called, including protocol and host. */
  url: string
  body: Buffer
}

const ageMaxMs = 5 * minuteMs

/** Returns the signature of a request, and the claimed time of signing in milliseconds since 1970. */
const stampOf = (headers: IncomingHttpHeaders) => ({
  timestamp: headers['x-hubspot-request-timestamp']?.toString() ?? '',
  signature: headers['x-hubspot-signature-v3']?.toString() ?? '',
})

/** Returns true if the headers could belong to a request that HubSpot signed within the last five minutes. */
export function isRecentHint(headers: IncomingHttpHeaders, nowMs: number): boolean {
  const { timestamp, signature } = stampOf(headers)
  return (
    /^\d{1,15}$/.test(timestamp) &&
    Math.abs(nowMs - Number(timestamp)) <= ageMaxMs &&
    /^[\w+/]{43}=$/.test(signature)
  )
}

/**
 * Returns true if HubSpot signed this request within the last five minutes using this app's client secret.
 */
export function isSignedByHubspot(
  { headers, ...request }: SignedRequest & { headers: IncomingHttpHeaders },
  clientSecret: string,
  nowMs: number,
): boolean {
  const { timestamp, signature } = stampOf(headers)
  const given = Buffer.from(signature)
  const expected = Buffer.from(signHubspotRequest({ ...request, timestamp }, clientSecret))
  return isRecentHint(headers, nowMs) && given.length === expected.length && timingSafeEqual(given, expected)
}

/** Returns the version 3 signature of a request. */
export function signHubspotRequest(
  { method, url, body, timestamp }: SignedRequest & { timestamp: string },
  clientSecret: string,
): string {
  return createHmac('sha256', clientSecret)
    .update(`${method}${url}`)
    .update(body)
    .update(timestamp)
    .digest('base64')
}
