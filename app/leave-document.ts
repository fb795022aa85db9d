let isLeaving = false

/** Notes that somebody is signed in on this document: signing out and in again can happen without loading another one. */
export function arrive(): void {
  isLeaving = false
}

/** Opens another page as a new document, unless the page is being left already. */
export function leaveFor(href: string): void {
  if (isLeaving) return
  isLeaving = true
  // A browser may bring the document back as it was.
  window.addEventListener('pageshow', arrive, { once: true })
  window.location.assign(href)
}

/** Does work that leads to another page. If it fails otherwise than by a redirect, the page is not left. */
export async function leaveBy(
  work: () => Promise<never>,
  isRedirect: (error: unknown) => boolean,
): Promise<void> {
  isLeaving = true
  try {
    await work()
  } catch (error) {
    isLeaving = isRedirect(error)
    throw error
  }
}
