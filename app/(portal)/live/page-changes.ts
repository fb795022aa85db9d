import type { LiveMessage } from '#server/live/wire.ts'

/** Changes that affect a page. */
export interface PageChanges {
  /** IDs of changed deals; null if there are too many to list. */
  deals: ReadonlySet<string> | null
  hasDeliveries: boolean
  hasMessages: boolean
  /** True if the user's notifications have changed. */
  hasNotifications: boolean
}

/** Stands for changes that may affect anything. */
export const anything: PageChanges = {
  deals: null,
  hasDeliveries: true,
  hasMessages: true,
  hasNotifications: true,
}

/**
 * Returns the changes in a message that affect the page's partner (null for all partners), or null if none
 * do.
 */
export function changesFor(
  { deals, deliveries, messages = [], notifications = [] }: LiveMessage,
  partnerId: number | null,
): PageChanges | null {
  const relevant = Object.entries(deals).filter(([id]) => partnerId === null || id === String(partnerId))
  const concerns = (ids: number[]) => (partnerId === null ? ids.length > 0 : ids.includes(partnerId))
  const [hasDeliveries, hasMessages] = [concerns(deliveries), concerns(messages)]
  const hasNotifications = notifications.length > 0
  if (relevant.length === 0 && !hasDeliveries && !hasMessages && !hasNotifications) return null
  const ids = relevant.map(([, each]) => each)
  return {
    deals: ids.includes(null) ? null : new Set(ids.flatMap((each) => each ?? [])),
    hasDeliveries,
    hasMessages,
    hasNotifications,
  }
}

interface ListedRow {
  id: bigint
  key: unknown
}

/** Returns the deals that would appear in a list, move within it or disappear from it. */
export function misplaced(
  visible: readonly ListedRow[],
  now: readonly ListedRow[],
  matching: readonly bigint[],
  requested: ReadonlySet<string>,
): string[] {
  const before = new Map(visible.map((row) => [String(row.id), row]))
  const after = new Map(now.map((row) => [String(row.id), row]))
  const matches = new Set(matching.map(String))
  return [...requested].filter((id) => {
    const [old, fresh] = [before.get(id), after.get(id)]
    if (old === undefined) return matches.has(id)
    return !matches.has(id) || String(old.key) !== String(fresh?.key)
  })
}
