let isLeaving = false

/** Marks this document as in use again, for instance after a new sign-in without a page load. */
export function arrive(): void {
  isLeaving = false
}

/** Opens another page as a new document, unless the page is being left already. */
export function leaveFor(href: string): void {
  if (isLeaving) return
  isLeaving = true
  // A browser may restore the document as it was.
  window.addEventListener('pageshow', arrive, { once: true })
  window.location.assign(href)
}

/** Runs work that ends with another page. If it fails other than by a redirect, the page stays. */
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
