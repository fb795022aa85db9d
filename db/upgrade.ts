/**
 * Returns the reason why a database cannot be migrated, or null. `last` is the time of its last migration
 * (null if empty), and `known` has the migrations of this version, oldest first.
 */
export function upgradeProblem(last: number | null, known: readonly { when: number }[]): string | null {
  if (last === null || known.some(({ when }) => when === last)) return null
  if (last < known[0]!.when)
    return (
      'the database is of a version that is too old: upgrade to Partner Deals 1.1 first, ' +
      'start it once, and then upgrade to this version'
    )
  // A newer version may have migrated a database that this process shares.
  if (last > known.at(-1)!.when) return null
  return 'the database was made by a version under development, which cannot be upgraded: start with an empty one'
}
