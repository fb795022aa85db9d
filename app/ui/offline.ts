/** Returns when the page was cached, or null if the page comes from the server. */
export function cachedAt(): Date | null {
  const text = document.documentElement.dataset.keptAt
  return text === undefined || Number.isNaN(Date.parse(text)) ? null : new Date(text)
}

/**
 * Returns true if the portal is unreachable. A cached page counts as offline even if the browser claims to be
 * online.
 */
export const isOffline = (): boolean => !navigator.onLine || cachedAt() !== null
