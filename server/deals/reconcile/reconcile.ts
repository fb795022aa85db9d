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

/**
 * Returns how many deals to read to compare a copy of `heldCount`: enough to detect one missing deal too
 * many.
 */
export function storedCountToRead(heldCount: number, most = missingMax): number {
  return heldCount + most + 1
}

/**
 * Compares a copy with the stored deals of an id range. `held` are the copy's deals in any order, each id
 * once; `stored` are ascending, all or the first `storedCountToRead(held.length)`. When more than `most` are
 * missing, the result ends with the last one reported.
 */
export function reconcile(held: DealVersion[], stored: DealVersion[], most = missingMax): Difference {
  const heldVersions = new Map(held.map(({ id, lastModified }) => [id, lastModified]))
  const storedIds = new Set(stored.map(({ id }) => id))
  const missing = stored.filter(({ id }) => !heldVersions.has(id))
  const next = missing.length > most ? missing[most - 1]!.id : null
  const isCovered = ({ id }: DealVersion) => next === null || id <= next
  return {
    missing: idsOf(missing.slice(0, most)),
    stale: idsOf(
      stored
        .filter(({ id, lastModified }) => heldVersions.has(id) && heldVersions.get(id) !== lastModified)
        .filter(isCovered),
    ),
    gone: idsOf(held.filter(({ id }) => !storedIds.has(id)).filter(isCovered)).toSorted((a, b) =>
      a < b ? -1 : 1,
    ),
    next,
  }
}

function idsOf(deals: DealVersion[]): bigint[] {
  return deals.map(({ id }) => id)
}
