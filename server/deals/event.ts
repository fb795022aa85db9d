import type { Change } from './change.ts'
import type { KnownDeal, DealField } from './deal.ts'

/**
 * The types of events, with when each event is written and to which kind of endpoint it is sent, if any. The
 * function `enqueue_deliveries` in the database selects the endpoint.
 */
export const eventTypes = {
  'deal.created': { when: 'a deal becomes visible to the partner', endpoint: 'create' },
  'deal.updated': { when: 'a field that the partner can see changes', endpoint: 'update' },
  'deal.removed': {
    when: 'a deal is removed, merged into another, or moves to another partner',
    endpoint: null,
  },
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** Returns the event types that an endpoint receives. The first type is used for test events. */
export const eventTypesOf = (endpoint: NonNullable<(typeof eventTypes)[EventType]['endpoint']>) =>
  eventTypeNames.filter((type) => eventTypes[type].endpoint === endpoint) as [EventType, ...EventType[]]

/** Fields that change along with other fields and are not shown as changes. */
const technicalFields: readonly DealField[] = ['stageId', 'pipelineId', 'lastModified', 'timeInCurrentStage']

/** Returns true if changes to this field are excluded from notifications. */
export const isTechnical = (field: DealField) => technicalFields.includes(field)

/**
 * Returns true if a subscription can be limited to changes of this field. Excludes fields that change along
 * with every other field, or never.
 */
export const isChangeable = (field: DealField) => field !== 'id' && !isTechnical(field)

interface EventOfDeal {
  type: EventType
  timestamp: Date
  sequence: number
  dealId: bigint
  changes: Change[]
  /** This event and earlier events include all CRM changes up to this time; null without a source. */
  asOf?: Date | null
}

/** Returns the parts of an event's body that come before and after the deal's JSON. */
export function eventAround({ type, timestamp, sequence, dealId, changes, asOf = null }: EventOfDeal): {
  head: string
  tail: string
} {
  const changed = changes.map(({ field, from, to }) => `{"field":"${field}","from":${from},"to":${to}}`)
  return {
    // IDs are also included as text, for clients that read numbers as doubles.
    head: `{"type":"${type}","timestamp":"${timestamp.toISOString()}","sequence":${sequence},"id":"${sequence}","dealId":"${dealId}","data":`,
    tail: `,"changes":[${changed.join(',')}]${asOf === null ? '' : `,"asOf":"${asOf.toISOString()}"`}}`,
  }
}

/**
 * Returns the body of an event as sent to partners. `dealJson` is the deal after the change, as partners
 * receive it.
 */
export function renderEvent({ dealJson, ...event }: EventOfDeal & { dealJson: string }): string {
  const { head, tail } = eventAround(event)
  return head + dealJson + tail
}

const withoutIds = /^(\{"type":"[\w.]+","timestamp":"[^"]+","sequence":(\d+)),"data":\{"id":(-?\d+),/

/** Returns a stored event's body with IDs as text, which bodies of older versions lack. */
export const withIds = (body: string): string =>
  body.replace(withoutIds, '$1,"id":"$2","dealId":"$3","data":{"id":$3,')

/**
 * Times at which the portal observed changes to a deal, for times that the CRM does not send (ISO 8601; null
 * if unknown).
 */
export interface Observed {
  /** When the deal last changed its stage, if the CRM's own time was not updated. */
  movedAt: string | null
  /** When the deal last changed, if the CRM's own time was not updated. */
  changedAt: string | null
  /** The deal has been in its stage at least since this time. */
  seenAt: string | null
}

export type ObservedDeal = KnownDeal & Pick<Observed, 'seenAt'>

/** The times of a deal for which no changes were observed. */
export const notObserved: Observed = { movedAt: null, changedAt: null, seenAt: null }

/** Returns the deal with observed times filled in where the CRM sends no time, or an earlier one. */
export function withObserved({
  observed: { movedAt, changedAt, seenAt },
  ...deal
}: KnownDeal & { observed: Observed }): ObservedDeal {
  const later = (own: string | null, seen: string | null) =>
    seen !== null && (own === null || Date.parse(own) < Date.parse(seen)) ? seen : own
  return {
    ...deal,
    timeInCurrentStage: later(deal.timeInCurrentStage, movedAt),
    lastModified: later(deal.lastModified, changedAt),
    seenAt,
  }
}
