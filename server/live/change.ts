import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { namedMax } from './policy.ts'
import type { LiveMessage } from './wire.ts'

export interface Changes {
  /** The ids of changed deals by partner, or null if there are many. Key 0 is for deals without a partner. */
  deals: Map<number, Set<string> | null>
  deliveries: Set<number>
  messages: Set<number>
  notifications: Set<number>
}

export const noChanges = (): Changes => ({
  deals: new Map(),
  deliveries: new Set(),
  messages: new Set(),
  notifications: new Set(),
})

/** Returns whether there are no changes. */
export const areNone = ({ deals, deliveries, messages, notifications }: Changes) =>
  deals.size + deliveries.size + messages.size + notifications.size === 0

/** Adds changed deals of a partner. Null means many deals. */
function addDeals({ deals }: Changes, partnerId: number, ids: Iterable<string> | null): void {
  const known = deals.get(partnerId)
  if (known === null) return
  const all = ids === null ? null : new Set([...(known ?? []), ...ids])
  deals.set(partnerId, all === null || all.size > namedMax ? null : all)
}

/** Merges later changes into earlier ones. */
export function addChanges(changes: Changes, { deals, deliveries, messages, notifications }: Changes): void {
  for (const [partnerId, ids] of deals) addDeals(changes, partnerId, ids)
  for (const partnerId of deliveries) changes.deliveries.add(partnerId)
  for (const partnerId of messages) changes.messages.add(partnerId)
  for (const userId of notifications) changes.notifications.add(userId)
}

/**
 * The previous and current partner of a written deal. Null means no partner, and undefined means a new deal.
 */
interface WrittenDeal {
  id: bigint
  stored: { partnerId: number | null } | undefined
  partnerId: number | null
}

/** Returns the changes caused by written deals. A deal that moved counts as changed for both partners. */
export function changesOf(written: readonly WrittenDeal[]): Changes {
  const changes = noChanges()
  for (const { id, stored, partnerId } of written) {
    addDeals(changes, partnerId ?? 0, [String(id)])
    if (stored !== undefined && stored.partnerId !== partnerId)
      addDeals(changes, stored.partnerId ?? 0, [String(id)])
  }
  return changes
}

// PostgreSQL accepts 8,000 bytes per notification. An entry has at most 1.2 KB, and the other parts are
// small.
const payloadMax = 6500

/** Splits changes into payloads that are short enough for PostgreSQL notifications. */
export function payloadsOf({ deals, deliveries, messages, notifications }: Changes): string[] {
  const payloads: string[] = []
  let payload: LiveMessage = { deals: {}, deliveries: [] }
  let size = 0
  const room = (bytes: number) => {
    if (size > 0 && size + bytes > payloadMax) {
      payloads.push(JSON.stringify(payload))
      payload = { deals: {}, deliveries: [] }
      size = 0
    }
    size += bytes
  }
  for (const [partnerId, ids] of deals) {
    const named = ids === null ? null : [...ids]
    room(JSON.stringify(named).length + 16)
    payload.deals[partnerId] = named
  }
  for (const partnerId of deliveries) {
    room(12)
    payload.deliveries.push(partnerId)
  }
  for (const partnerId of messages) {
    room(24)
    payload.messages = [...(payload.messages ?? []), partnerId]
  }
  for (const userId of notifications) {
    room(28)
    payload.notifications = [...(payload.notifications ?? []), userId]
  }
  return size === 0 ? payloads : [...payloads, JSON.stringify(payload)]
}

/** Parses the payload of a notification. */
export function parsePayload(payload: string): Changes {
  const { deals, deliveries, messages, notifications } = JSON.parse(payload) as LiveMessage
  return {
    deals: new Map(Object.entries(deals).map(([id, ids]) => [Number(id), ids && new Set(ids)])),
    deliveries: new Set(deliveries),
    messages: new Set(messages),
    notifications: new Set(notifications),
  }
}

/** Returns the changes that are visible to the tenant and to the user, if given, or null if none are. */
export function messageWithin(
  { deals, deliveries, messages, notifications }: Changes,
  tenant: TenantScope,
  userId?: number,
): LiveMessage | null {
  const isWithin = (partnerId: number) => isEveryone(tenant) || partnerId === tenant
  const message: LiveMessage = { deals: {}, deliveries: [...deliveries].filter(isWithin) }
  for (const [partnerId, ids] of deals) if (isWithin(partnerId)) message.deals[partnerId] = ids && [...ids]
  const ofPartners = [...messages].filter(isWithin)
  if (ofPartners.length > 0) message.messages = ofPartners
  if (userId !== undefined && notifications.has(userId)) message.notifications = [userId]
  const isNothing = Object.values(message).every((part) => Object.keys(part).length === 0)
  return isNothing ? null : message
}
