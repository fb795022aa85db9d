/** The state of a copy, stored in the same transactions as its data. */
export interface CopyState {
  /** The base URL that the deals come from. */
  source: string
  /** The last applied event; null before the first load. */
  after: number | null
  /** Identifies that event, to detect a token of another partner or a restored portal. */
  mark: string | null
  /** The unfinished load, if any. */
  load: Load | null
  /** The number of the last load that was started. */
  loadNumber: number
  loadedAt: string | null
  /** `columnsVersion` of the last load. */
  columns: string | null
  comparedAt: string | null
  removals: Removals | null
}

interface Load {
  /** The newest event when it began, after which events are applied. */
  after: number
  mark: string | null
  /** The cursor of the next page; null after the last one. */
  cursor: string | null
  deals: number
}

/** The removals of a day. */
interface Removals {
  since: string
  /** The number of deals at that time. */
  held: number
  removed: number
}

export function newState(source: string): CopyState {
  const none = { after: null, mark: null, load: null, loadedAt: null, columns: null, comparedAt: null }
  return { source, ...none, loadNumber: 0, removals: null }
}

const dayMs = 24 * 60 * 60 * 1000
/** Always allowed per day: in a small copy, a single deal exceeds a fifth. */
const alwaysRemovable = 5
const largestPart = 5
const nightHour = 3

/**
 * Adds removals to those of the last day. They are too many if they exceed five and a fifth of the copy.
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

/** Returns whether the copy has not been compared since 3 AM local time. */
export function isComparisonDue(comparedAt: string | null, now: Date): boolean {
  if (comparedAt === null) return true
  const night = new Date(now)
  night.setHours(nightHour, 0, 0, 0)
  if (night > now) night.setDate(night.getDate() - 1)
  return Date.parse(comparedAt) < night.getTime()
}
