let isLeaving = false

/** Marks the document as in use again, for instance after a sign-in without a page load. */
export function arrive(): void {
  isLeaving = false
}

/** Opens another page as a new document, unless the user is already leaving the page. */
export function leaveFor(href: string): void {
  if (isLeaving) return
  isLeaving = true
  // The browser may restore the document later (back/forward cache).
  window.addEventListener('pageshow', arrive, { once: true })
  window.location.assign(href)
}

/**
 * Runs work that ends by opening another page. If `work` fails other than by a redirect, the page stays
 * usable.
 */
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
