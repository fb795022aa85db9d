import type { StageMove } from '#server/stages/order.ts'

/** The parts of a row that determine its order. */
interface Row {
  name: string
  kind: string
}

/** Returns the names of the stages among which a stage moves, in order: those of its kind. */
export function namesBeside(rows: readonly Row[], name: string): string[] {
  const kind = rows.find((row) => row.name === name)?.kind
  return rows.filter((row) => row.kind === kind).map((row) => row.name)
}

/** Returns the move of a name to an index among others; null if it is already there. */
export function moveTo(names: readonly string[], name: string, index: number): StageMove | null {
  const from = names.indexOf(name)
  if (from === -1 || from === index) return null
  const rest = names.toSpliced(from, 1)
  return { name, was: names[from - 1] ?? null, after: rest[index - 1] ?? null, before: rest[index] ?? null }
}

/** Returns the rows in display order after a move. */
export function movedRows<R extends Row>(rows: readonly R[], { name, after, before }: StageMove): R[] {
  const row = rows.find((each) => each.name === name)
  const rest = rows.filter((each) => each !== row)
  const next = rest.findIndex((each) => each.name === before)
  const previous = rest.findIndex((each) => each.name === after)
  if (row === undefined || (next === -1 && previous === -1)) return [...rows]
  return rest.toSpliced(next === -1 ? previous + 1 : next, 0, row)
}

/** A row on the screen: its start and height in pixels. */
export interface Box {
  top: number
  height: number
}

/** Returns how far a lifted row can be dragged before it leaves its neighbors. */
export function clampDrag(boxes: readonly Box[], from: number, dragged: number): number {
  const [{ top: first }, last, own] = [boxes[0]!, boxes.at(-1)!, boxes[from]!]
  return Math.min(last.top + last.height - own.top - own.height, Math.max(first - own.top, dragged))
}

/** Returns the index at which a row dragged this far is dropped: after all whose middle it has passed. */
export function indexAt(boxes: readonly Box[], from: number, dragged: number): number {
  const middleOf = ({ top, height }: Box) => top + height / 2
  const middle = middleOf(boxes[from]!) + dragged
  return boxes.filter((box, index) => index !== from && middleOf(box) < middle).length
}

/** Returns how far the row at `index` is shifted while that at `from` is held over `to`. */
export function shiftOf(boxes: readonly Box[], from: number, to: number, index: number): number {
  if (from === to) return 0
  const height = boxes[from]!.height
  if (index === from) {
    const passed = from < to ? boxes.slice(from + 1, to + 1) : boxes.slice(to, from)
    const distance = passed.reduce((sum, box) => sum + box.height, 0)
    return from < to ? distance : -distance
  }
  if (index > from && index <= to) return -height
  return index < from && index >= to ? height : 0
}
