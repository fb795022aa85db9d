import { parseInt64, parseJson } from '../../values/int64.ts'
import type { AnnouncedDeal } from '../announced-store.ts'

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
