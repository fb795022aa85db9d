import type { Row } from '../use-deals.ts'
import type { Peek } from '../use-peek.ts'
import type { useChosen } from './use-chosen.ts'

/** Returns what the keys of a row do besides moving: choose it, show it beside the list, and end both. */
export const rowKeys =
  ({
    rows,
    go,
    chosen,
    peek,
  }: {
    rows: Row[]
    go: (to: number) => void
    chosen: Pick<ReturnType<typeof useChosen>, 'ids' | 'choose' | 'extend' | 'clear'>
    peek: Peek
  }) =>
  /** Returns whether it took the key, pressed in the row at this index. */
  (key: string, index: number, isShift: boolean): boolean => {
    const row = rows[index]
    if (row === undefined) return false
    const id = String(row.id)
    if (isShift && (key === 'ArrowDown' || key === 'ArrowUp')) {
      const to = Math.max(0, Math.min(rows.length - 1, index + (key === 'ArrowDown' ? 1 : -1)))
      chosen.extend(index, to)
      go(to)
    } else if (key === 'x') chosen.choose(index)
    else if (key === ' ') peek.show(peek.id === id ? null : id)
    else if (key === 'Escape' && peek.id !== null) peek.show(null)
    else if (key === 'Escape' && chosen.ids.size > 0) chosen.clear()
    else return false
    return true
  }
