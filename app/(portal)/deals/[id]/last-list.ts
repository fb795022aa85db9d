import { lists } from '../lists.tsx'

/** Returns the last list of deals in this tab, and whether it was the previous page; null if unknown. */
export function lastList(): { path: string; isPrevious: boolean } | null {
  const { navigation } = window as { navigation?: Window['navigation'] }
  const here = navigation?.currentEntry?.index ?? -1
  const entry = navigation
    ?.entries()
    .slice(0, Math.max(here, 0))
    .findLast(({ url }) => url !== null && lists.includes(new URL(url).pathname))
  if (entry?.url == null) return null
  const { pathname, search } = new URL(entry.url)
  return { path: pathname + search, isPrevious: entry.index === here - 1 }
}
