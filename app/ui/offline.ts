/** Returns when the page was cached; null if it comes from the server. */
export function cachedAt(): Date | null {
  const text = document.documentElement.dataset.keptAt
  return text === undefined || Number.isNaN(Date.parse(text)) ? null : new Date(text)
}

/** Returns whether the portal is unreachable. A browser may report being online on a cached page. */
export const isOffline = (): boolean => !navigator.onLine || cachedAt() !== null
