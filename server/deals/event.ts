import type { Change } from './change.ts'

/** What happens to a deal that its partner is told. */
export const eventTypes = ['deal.created', 'deal.updated'] as const

export type EventType = (typeof eventTypes)[number]

/**
 * Returns the body of an event as it is sent; `dealJson` is the deal after the change, as partners receive
 * it.
 */
export function renderEvent(event: {
  type: EventType
  timestamp: Date
  sequence: number
  dealJson: string
  changes: Change[]
}): string {
  const changes = event.changes.map(({ field, from, to }) => `{"field":"${field}","from":${from},"to":${to}}`)
  return (
    `{"type":"${event.type}","timestamp":"${event.timestamp.toISOString()}","sequence":${event.sequence},` +
    `"data":${event.dealJson},"changes":[${changes.join(',')}]}`
  )
}
