/** Drops the pages that were kept to be read without a connection, and those that are just being kept (`public/sw.js`). */
export async function dropKeptPages(): Promise<void> {
  // Absent without https.
  if ('caches' in window) await caches.delete('pages').catch(() => false)
}

/** Returns when the page was kept, if it is one that was; null when it comes from the server. */
export function keptAt(): Date | null {
  const text = document.documentElement.dataset.keptAt
  return text === undefined || Number.isNaN(Date.parse(text)) ? null : new Date(text)
}

/** Returns how long the session lasts in which the page was made, by the clock of this browser. */
export function sessionLeftMs(): number {
  const [until] = document.querySelector('main')?.dataset.session?.split(' ') ?? []
  return until === undefined ? Infinity : Number(until) - Date.now()
}
