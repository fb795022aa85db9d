const root = globalThis as { partnerDeals?: Map<string, unknown> }

/**
 * Returns this process's value for a name, and creates it on the first call. Next.js loads a second instance
 * of each module into the process; both instances get the same value.
 */
export function oneInProcess<T>(name: string, make: () => T): T {
  const values = (root.partnerDeals ??= new Map())
  if (!values.has(name)) values.set(name, make())
  return values.get(name) as T
}
