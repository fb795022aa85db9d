/** Returns the work as a function that does nothing while a former call still does it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } finally {
      isRunning = false
    }
  }
}
