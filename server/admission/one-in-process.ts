const holder = globalThis as { partnerDeals?: Map<string, unknown> }

/**
 * Returns the process's value of this name, created on the first call. Next bundles modules a second time into the same
 * process; both instances get the same value.
 */
export function oneInProcess<T>(name: string, make: () => T): T {
  const values = (holder.partnerDeals ??= new Map())
  if (!values.has(name)) values.set(name, make())
  return values.get(name) as T
}
