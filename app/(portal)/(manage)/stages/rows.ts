import type { StageMove } from '#server/stages/order.ts'

/** The parts of a row that determine its order. */
interface Row {
  name: string
  kind: string
}

/** Returns the names of the stages of the same kind, in order. A stage can only be moved among them. */
export function namesBeside(rows: readonly Row[], name: string): string[] {
  const kind = rows.find((row) => row.name === name)?.kind
  return rows.filter((row) => row.kind === kind).map((row) => row.name)
}

/** Returns the name before a name; null if it is the first. */
export const nameBefore = (names: readonly string[], name: string): string | null =>
  names[names.indexOf(name) - 1] ?? null

/** Returns the move of a name behind another, or to the start for null; null if it is already there. */
export function moveBehind(names: readonly string[], name: string, after: string | null): StageMove | null {
  const was = nameBefore(names, name)
  const rest = names.filter((each) => each !== name)
  const before = rest[after === null ? 0 : rest.indexOf(after) + 1] ?? null
  return was === after ? null : { name, was, after, before }
}
