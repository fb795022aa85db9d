import type { StageMove } from '#server/stages/order.ts'

interface Row {
  name: string
  kind: string
}

/** Returns the stages of the same kind as `name`, in order. A stage can only be moved among these. */
export function namesBeside(rows: readonly Row[], name: string): string[] {
  const kind = rows.find((row) => row.name === name)?.kind
  return rows.filter((row) => row.kind === kind).map((row) => row.name)
}

/** Returns the previous name, or null if `name` is the first. */
export const nameBefore = (names: readonly string[], name: string): string | null =>
  names[names.indexOf(name) - 1] ?? null

/**
 * Returns the move that puts a stage behind `after` (or first, if null), or null if the stage is already
 * there.
 */
export function moveBehind(names: readonly string[], name: string, after: string | null): StageMove | null {
  const was = nameBefore(names, name)
  const rest = names.filter((each) => each !== name)
  const before = rest[after === null ? 0 : rest.indexOf(after) + 1] ?? null
  return was === after ? null : { name, was, after, before }
}
