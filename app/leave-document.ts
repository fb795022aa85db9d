let isLeaving = false

/** Opens another page as a new document; what this one still asks is of no consequence any more. */
export function leaveFor(href: string): void {
  if (isLeaving) return
  isLeaving = true
  // A browser may bring the document back as it was.
  window.addEventListener('pageshow', () => { isLeaving = false }, { once: true })
  window.location.assign(href)
}

/** Does work that leads to another page, and forgets about leaving if it fails. */
export async function leaveBy(work: () => Promise<never>, isRedirect: (error: unknown) => boolean): Promise<void> {
  isLeaving = true
  try {
    await work()
  } catch (error) {
    isLeaving = isRedirect(error)
    throw error
  }
}
