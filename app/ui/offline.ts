/** Returns when the page was kept, if it is one that was; null when it comes from the server. */
export function keptAt(): Date | null {
  const text = document.documentElement.dataset.keptAt
  return text === undefined || Number.isNaN(Date.parse(text)) ? null : new Date(text)
}

/** Returns whether the portal cannot be reached. A browser may say that it is online on a page that was kept. */
export const isOffline = (): boolean => !navigator.onLine || keptAt() !== null
