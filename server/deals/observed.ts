import type { KnownDeal } from './deal.ts'

/** Times at which the portal saw a deal change, used where the CRM sends none; ISO 8601, null if unknown. */
export interface Observed {
  /** When the deal last moved, if the CRM's own time did not move with it. */
  movedAt: string | null
  /** When the deal last changed, if the CRM's own time did not change with it. */
  changedAt: string | null
  /** The deal has been in its stage since this time or longer. */
  seenAt: string | null
}

/** A deal with the times that the portal observed. */
export type ObservedDeal = KnownDeal & Pick<Observed, 'seenAt'>

/** The times of a deal without observed changes. */
export const notObserved: Observed = { movedAt: null, changedAt: null, seenAt: null }

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
