/** The version of a deal: its ID and `lastModified` (such as `2026-03-01T17:20:05.000Z`). */
export interface DealVersion {
  id: bigint
  lastModified: string | null
}

/** The changes that would make a copy match the server, each with ascending IDs. */
export interface Difference {
  /** Deals that are stored but not in the copy. */
  missing: bigint[]
  /** Deals that are in both, but with different `lastModified`. */
  stale: bigint[]
  /** Deals that are in the copy but not stored. */
  gone: bigint[]
  /** The last compared ID if the comparison is incomplete, or else null. */
  next: bigint | null
}

/** Maximum number of missing deals reported per comparison. */
export const missingMax = 1000

/**
 * Returns how many stored deals to read for a copy of `copiedCount` deals: enough to find one more missing
 * deal than can be reported.
 */
export const storedCountToRead = (copiedCount: number, most = missingMax) => copiedCount + most + 1

/**
 * Compares a copy with the stored deals in a range of IDs. `copied` contains the deals of the copy in any
 * order, without duplicates. `stored` is ascending and contains all deals in the range, or the first
 * `storedCountToRead(copied.length)`. If more than `most` deals are missing, the comparison ends at the last
 * one that is reported.
 */
export function reconcile(copied: DealVersion[], stored: DealVersion[], most = missingMax): Difference {
  const copiedVersions = new Map(copied.map(({ id, lastModified }) => [id, lastModified]))
  const storedIds = new Set(stored.map(({ id }) => id))
  const missing = stored.filter(({ id }) => !copiedVersions.has(id))
  const next = missing.length > most ? missing[most - 1]!.id : null
  const isCovered = ({ id }: DealVersion) => next === null || id <= next
  const isStale = ({ id, lastModified }: DealVersion) =>
    copiedVersions.has(id) && copiedVersions.get(id) !== lastModified
  const gone = copied.filter((deal) => !storedIds.has(deal.id) && isCovered(deal))
  return {
    missing: idsOf(missing.slice(0, most)),
    stale: idsOf(stored.filter((deal) => isStale(deal) && isCovered(deal))),
    gone: idsOf(gone).toSorted((a, b) => (a < b ? -1 : 1)),
    next,
  }
}

const idsOf = (deals: DealVersion[]) => deals.map(({ id }) => id)
