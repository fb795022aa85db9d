import type { KnownDeal } from './deal.ts'

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

/** A deal including the times observed by the portal. */
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
