import type { DealField, KnownDeal } from './deal.ts'
import type { EventType } from './event.ts'

/** Times at which the portal saw a deal change, used where the CRM sends none; ISO 8601, null if unknown. */
export interface Observed {
  /** When the deal last moved, if the CRM's own time did not move with it. */
  movedAt: string | null
  /** When the deal last changed, if the CRM's own time did not change with it. */
  changedAt: string | null
  /** Since when it has been in its stage at least. */
  seenAt: string | null
}

/** An event of a deal, and the fields that it changed. */
export interface SeenEvent {
  type: EventType
  timestamp: string
  fields: string[]
}

/** A deal with the times that the portal observed. */
export type ObservedDeal = KnownDeal & Pick<Observed, 'seenAt'>

/** Returns what a deal's history, newest first, shows of its times. */
export function observedOf(history: readonly SeenEvent[]): Observed {
  const changed = history.filter(({ type }) => type === 'deal.updated')
  const has = ({ fields }: SeenEvent, field: DealField) => fields.includes(field)
  const moved = changed.find((entry) => has(entry, 'stage'))
  const last = changed[0]
  return {
    movedAt: moved === undefined || has(moved, 'timeInCurrentStage') ? null : moved.timestamp,
    changedAt: last === undefined || has(last, 'lastModified') ? null : last.timestamp,
    seenAt: (moved ?? history.at(-1))?.timestamp ?? null,
  }
}

/** Returns a deal with observed times where they are later than the CRM's, or the CRM sends none. */
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
