/** Resolves to the result of the work, or, after `ms` milliseconds, to the result of `late`. */
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

/** Throws the error for a database that does not respond. Pass this to `withTimeout` as `late`. */
export function databaseTooLate(): never {
  throw new Error('the database does not respond in time')
}
