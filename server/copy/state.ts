// What a copy knows about itself; stored in the target with the data, in one transaction. Pure rules.

export interface CopyState {
  /** The base URL that the deals come from. */
  source: string
  /** The last event that the copy includes; null before the first load. */
  after: number | null
  /** Identifies that event, to notice a token of another partner or a restored portal. */
  mark: string | null
  /** The load that is under way. */
  load: Load | null
  /** The number of the last load, which began with this number. */
  loadNumber: number
  loadedAt: string | null
  /** The columns of the last load. */
  columns: string | null
  comparedAt: string | null
  removals: Removals | null
}

interface Load {
  /** The newest event when it began; the load is followed by the events after it. */
  after: number
  mark: string | null
  /** Where the search continues; null when all pages are stored. */
  cursor: string | null
  deals: number
}

/** What was removed within a day. */
interface Removals {
  since: string
  /** How many deals the copy had then. */
  held: number
  removed: number
}

export function newState(source: string): CopyState {
  const none = { after: null, mark: null, load: null, loadedAt: null, columns: null, comparedAt: null }
  return { source, ...none, loadNumber: 0, removals: null }
}

const dayMs = 24 * 60 * 60 * 1000
/** This many may always be removed within a day: a fifth of few deals is one. */
const alwaysRemovable = 5
const largestPart = 5
const nightHour = 3

/**
 * Adds removals to those of the last day; `isTooMany` if they are more than five and more than a fifth of
 * what the copy held.
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

/** Returns whether the copy should be compared: it was not since the last night, by the machine's clock. */
export function isComparisonDue(comparedAt: string | null, now: Date): boolean {
  if (comparedAt === null) return true
  const night = new Date(now)
  night.setHours(nightHour, 0, 0, 0)
  if (night > now) night.setDate(night.getDate() - 1)
  return Date.parse(comparedAt) < night.getTime()
}
