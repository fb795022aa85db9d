import type { Change } from './change.ts'
import type { DealField } from './deal.ts'

/**
 * The types of events: when each is written, and its endpoint, if it has one. `enqueue_deliveries` in the
 * database selects the endpoint.
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

/** Returns the types whose events an endpoint receives; the first one is the type of its test events. */
export const eventTypesOf = (endpoint: NonNullable<(typeof eventTypes)[EventType]['endpoint']>) =>
  eventTypeNames.filter((type) => eventTypes[type].endpoint === endpoint) as [EventType, ...EventType[]]

/** Fields that change along with others and are not shown as changes. */
const technicalFields: readonly DealField[] = ['stageId', 'pipelineId', 'lastModified', 'timeInCurrentStage']

/** Returns whether changes of this field are excluded from notifications. */
export const isTechnical = (field: DealField) => technicalFields.includes(field)

/** Returns whether a subscription can be limited to changes of a field: not if it changes with every other, or never. */
export const isChangeable = (field: DealField) => field !== 'id' && !isTechnical(field)

interface EventOfDeal {
  type: EventType
  timestamp: Date
  sequence: number
  dealId: bigint
  changes: Change[]
  /** Every CRM change up to this time is in this event or an earlier one; null without a source. */
  asOf?: Date | null
}

/** Returns the parts of an event's body before and after the deal's JSON. */
export function eventAround({ type, timestamp, sequence, dealId, changes, asOf = null }: EventOfDeal): {
  head: string
  tail: string
} {
  const changed = changes.map(({ field, from, to }) => `{"field":"${field}","from":${from},"to":${to}}`)
  return {
    // The ids as text are for clients whose numbers are doubles.
    head: `{"type":"${type}","timestamp":"${timestamp.toISOString()}","sequence":${sequence},"id":"${sequence}","dealId":"${dealId}","data":`,
    tail: `,"changes":[${changed.join(',')}]${asOf === null ? '' : `,"asOf":"${asOf.toISOString()}"`}}`,
  }
}

/**
 * Returns the body of an event as it is sent; `dealJson` is the deal after the change, as partners receive
 * it.
 */
export function renderEvent({ dealJson, ...event }: EventOfDeal & { dealJson: string }): string {
  const { head, tail } = eventAround(event)
  return head + dealJson + tail
}

const withoutIds = /^(\{"type":"[\w.]+","timestamp":"[^"]+","sequence":(\d+)),"data":\{"id":(-?\d+),/

/** Returns the body of a stored event with its ids as text, which older ones lack. */
export const withIds = (body: string): string =>
  body.replace(withoutIds, '$1,"id":"$2","dealId":"$3","data":{"id":$3,')
