// A file of its own, because error pages load nothing else.
/** Returns when the page was cached, or null if the page comes from the server. */
export function cachedAt(): Date | null {
  const text = document.documentElement.dataset.keptAt
  return text === undefined || Number.isNaN(Date.parse(text)) ? null : new Date(text)
}

/** Returns true if the portal is unreachable, as on a cached page, whatever the browser claims. */
export const isOffline = (): boolean => !navigator.onLine || cachedAt() !== null
