type Point = Readonly<Record<string, unknown>>

/**
 * Returns a line in two parts: completed spans, and a last segment to the unfinished one. Each part is null
 * outside its range.
 */
export function partsOf(name: string, points: readonly { from: string }[]) {
  const [before, last] = points.slice(-2).map(({ from }) => from)
  return {
    finished: (point: Point) => (point['from'] === last ? null : point[name]),
    unfinished: (point: Point) => (point['from'] === before || point['from'] === last ? point[name] : null),
  }
}
