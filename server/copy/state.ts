/** The state of a copy, which is stored in the same transaction as the data. */
export interface CopyState {
  /** The base URL that deals are loaded from. */
  source: string
  /** The last applied event; null before the first load. */
  after: number | null
  /**
   * A string that identifies the last applied event. Used to detect a token of another partner, or a portal
   * restored from a backup.
   */
  mark: string | null
  load: Load | null
  /** The number of the most recently started load. */
  loadNumber: number
  loadedAt: string | null
  /** The value of `columnsVersion` when the last load ended. */
  columns: string | null
  comparedAt: string | null
  removals: Removals | null
}

interface Load {
  /** The newest event when the load began; after the load, newer events are applied. */
  after: number
  mark: string | null
  /** The cursor of the next page; null after the last one. */
  cursor: string | null
  deals: number
}

/** The removals within a day. */
interface Removals {
  since: string
  /** The largest number of deals that the copy contained during the day. */
  held: number
  removed: number
}

export function newState(source: string): CopyState {
  const none = { after: null, mark: null, load: null, loadedAt: null, columns: null, comparedAt: null }
  return { source, ...none, loadNumber: 0, removals: null }
}

const dayMs = 24 * 60 * 60 * 1000
/**
 * Number of deals that can always be removed per day: in a small copy, a single deal is more than a fifth.
 */
const alwaysRemovable = 5
const largestPart = 5
const nightHour = 3

/**
 * Adds removals to those of the last day. Too many are removed if the total exceeds both `alwaysRemovable`
 * and a fifth of the copy.
 */
export function countRemovals(
  previous: Removals | null,
  { held, removed, now }: { held: number; removed: number; now: Date },
): { removals: Removals; isTooMany: boolean } {
  const isOver = previous === null || now.getTime() - Date.parse(previous.since) >= dayMs
  const day = isOver ? { since: now.toISOString(), held, removed: 0 } : previous
  const removals = { ...day, held: Math.max(day.held, held), removed: day.removed + removed }
  const isTooMany = removals.removed > Math.max(alwaysRemovable, removals.held / largestPart)
  return { removals, isTooMany: isTooMany && removed > 0 }
}

/** Returns true if the copy has not been compared since 3 AM local time. */
export function isComparisonDue(comparedAt: string | null, now: Date): boolean {
  if (comparedAt === null) return true
  const night = new Date(now)
  night.setHours(nightHour, 0, 0, 0)
  if (night > now) night.setDate(night.getDate() - 1)
  return Date.parse(comparedAt) < night.getTime()
}
