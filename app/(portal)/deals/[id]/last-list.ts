const lists: readonly string[] = ['/deals', '/deals/board']

/**
 * The list of deals from which one came here, by what the browser remembers of this tab: its path and search, and whether it
 * was the page before this one. Null when there was none, or the browser does not say.
 */
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
