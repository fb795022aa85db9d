/** Longer names are compared by their beginning. */
const comparedMax = 60

/** Returns the known name that takes the fewest changed letters, in any case. */
export function nearestName<const Name extends string>(name: string, known: readonly Name[]): Name {
  const lower = name.slice(0, comparedMax).toLowerCase()
  const distances = known.map((other) => distance(lower, other.toLowerCase()))
  return known[distances.indexOf(Math.min(...distances))]!
}

/** Returns how many letters must be added, left out or replaced to turn one text into the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++)
      next.push(Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (letter === b[at] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
