/** Resolves to the work's result, or to that of `late` after `ms`. */
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

/** What `withTimeout` calls for work of the database that takes too long. */
export function databaseTooLate(): never {
  throw new Error('the database does not answer in time')
}
