type Point = Readonly<Record<string, unknown>>

/**
 * Returns what draws a line in two parts: the spans that are over, and from the last of them to the one that is not.
 * Each part gives null where it does not reach.
 */
export function partsOf(name: string, points: readonly { from: string }[]) {
  const [before, last] = points.slice(-2).map(({ from }) => from)
  return {
    finished: (point: Point) => (point['from'] === last ? null : point[name]),
    unfinished: (point: Point) => (point['from'] === before || point['from'] === last ? point[name] : null),
  }
}
