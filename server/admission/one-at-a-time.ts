/** Returns a function that joins work in progress, or starts it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () =>
    (running ??= work().finally(() => {
      running = null
    }))
}
