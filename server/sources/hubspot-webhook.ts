import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseInt64, parseJson } from '../values/int64.ts'
import { minuteMs } from '../values/units.ts'
import type { AnnouncedDeal } from './announced-store.ts'

// https://developers.hubspot.com/docs/api-reference/webhooks-webhooks-v3/guide

/** HubSpot sends at most 100 events per webhook. An event about a merge refers to several deals. */
const idsMax = 1000

const removals = new Set(['deletion', 'privacyDeletion', 'merge', 'restore'])
const changes = new Set(['creation', 'propertyChange'])

/** Id of the object type "deal" in generic subscriptions, such as `object.deletion`. */
const dealType = '0-3'

/**
 * Returns the distinct deals in the body of a webhook. Returns an empty list for a body in another format.
 */
export function announcedIn(body: Buffer): AnnouncedDeal[] {
  const isRemovalById = new Map<bigint, boolean>()
  for (const event of eventsOf(body)) {
    const [object, kind = ''] = String(event['subscriptionType'] ?? '').split('.')
    const isOfDeal = object === 'deal' || (object === 'object' && String(event['objectTypeId']) === dealType)
    if (!isOfDeal || !(removals.has(kind) || changes.has(kind))) continue
    const merged: unknown = event['mergedObjectIds']
    const named = [event['objectId'], event['primaryObjectId'], event['newObjectId']]
    for (const value of [...named, ...(Array.isArray(merged) ? (merged as unknown[]) : [])]) {
      const id = parseInt64(String(value ?? ''))
      if (id === null || id <= 0n || (isRemovalById.size >= idsMax && !isRemovalById.has(id))) continue
      isRemovalById.set(id, removals.has(kind) || isRemovalById.get(id) === true)
    }
  }
  return [...isRemovalById].map(([id, isRemoval]) => ({ id, isRemoval }))
}

function eventsOf(body: Buffer): Record<string, unknown>[] {
  try {
    const parsed = parseJson(body.toString('utf8'))
    const events: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    return events.filter(
      (event): event is Record<string, unknown> => typeof event === 'object' && event !== null,
    )
  } catch {
    return []
  }
}

// https://developers.hubspot.com/docs/api/webhooks/validating-requests

interface SignedRequest {
  method: string
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
  const received = Buffer.from(signature)
  const expected = Buffer.from(signHubspotRequest({ ...request, timestamp }, clientSecret))
  return (
    isRecentHint(headers, nowMs) && received.length === expected.length && timingSafeEqual(received, expected)
  )
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

/** Returns the path to which the CRM sends webhooks about changes in a source. */
export const hintPathOf = (sourceId: number) => `/hooks/sources/${sourceId}`

/** Returns the id of the source for a webhook path, or null for any other path. */
export function sourceOfHint(path: string): number | null {
  const id = Number(/^\/hooks\/sources\/([1-9]\d{0,9})$/.exec(path)?.[1] ?? NaN)
  return id < 2 ** 31 ? id : null
}
