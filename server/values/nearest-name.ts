/** Only this many characters of longer names are compared. */
const comparedMax = 60

/** Returns the known name with the smallest edit distance to `name`, ignoring case. */
export function nearestName<const Name extends string>(name: string, known: readonly Name[]): Name {
  const lower = name.slice(0, comparedMax).toLowerCase()
  const distances = known.map((other) => letterDistance(lower, other.toLowerCase()))
  return known[distances.indexOf(Math.min(...distances))]!
}

/**
 * Returns how many letters must be inserted, deleted, or replaced to turn one text into the other
 * (Levenshtein).
 */
export function letterDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1]))
    row = next
  }
  return row[b.length]!
}
