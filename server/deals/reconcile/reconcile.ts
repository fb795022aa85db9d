/** The version of a deal: its id and `lastModified` (`2026-03-01T17:20:05.000Z`). */
export interface DealVersion {
  id: bigint
  lastModified: string | null
}

/** The changes that make a copy match the server; ids ascending. */
export interface Difference {
  /** Stored but not in the copy. */
  missing: bigint[]
  /** In both, with another `lastModified`. */
  stale: bigint[]
  /** In the copy but not stored. */
  gone: bigint[]
  /** The last id compared when the comparison is incomplete; otherwise null. */
  next: bigint | null
}

/** Maximum missing deals that one comparison reports. */
export const missingMax = 1000

/** Returns how many stored deals to read for a copy of `copiedCount`: enough to notice one missing deal too many. */
export const storedCountToRead = (copiedCount: number, most = missingMax) => copiedCount + most + 1

/**
 * Compares a copy with the stored deals of an id range. `copied` are the copy's deals in any order, each id
 * once; `stored` are ascending, all or the first `storedCountToRead(copied.length)`. When more than `most` are
 * missing, the result ends with the last one reported.
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
