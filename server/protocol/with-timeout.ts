/** Returns what the work resolves to, or, when it takes longer than `ms`, what `late` returns or throws. */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late: () => Late,
): Promise<T | Late> {
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(timeout.resolve, ms, null)
  try {
    return await Promise.race([work, timeout.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
