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

/** Throws an error for a database that does not respond; pass it to `withTimeout` as `late`. */
export function databaseTooLate(): never {
  throw new Error('the database does not answer in time')
}
