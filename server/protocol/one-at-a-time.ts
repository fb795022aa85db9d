/** Returns the work as a function that gives the work in progress while there is some, and else begins it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () =>
    (running ??= work().finally(() => {
      running = null
    }))
}
