'use client'

import { useCallback, useMemo, useRef, useState } from 'react'
import { chosenMax } from '#server/deals/policy.ts'
import type { Row } from '../use-deals.ts'

const idOf = ({ id }: Row) => String(id)

/**
 * Selects single rows or a range. Deselects rows that leave the list, and all rows when the query changes.
 */
export function useChosen(rows: Row[], listKey: string) {
  const [chosen, setChosen] = useState<{ listKey: string; ids: ReadonlySet<string> }>({
    listKey,
    ids: new Set(),
  })
  // Start of the selected range.
  const anchor = useRef<number | null>(null)
  const ids = chosen.listKey === listKey ? chosen.ids : noIds
  const now = useRef({ rows, ids, listKey })
  now.current = { rows, ids, listKey }

  const set = (next: string[]) =>
    setChosen({ listKey: now.current.listKey, ids: new Set(next.slice(0, chosenMax)) })

  /** Selects or deselects a row. With `isRange`, selects all rows from the last selected one. */
  const choose = useCallback((index: number, isRange = false) => {
    const { rows: all, ids: before } = now.current
    const row = all[index]
    if (row === undefined) return
    if (isRange) {
      anchor.current ??= index
      const range = all.slice(Math.min(anchor.current, index), Math.max(anchor.current, index) + 1)
      set(range.map(idOf))
      return
    }
    anchor.current = index
    set(before.has(idOf(row)) ? [...before].filter((id) => id !== idOf(row)) : [...before, idOf(row)])
  }, [])

  const clear = useCallback(() => {
    anchor.current = null
    set([])
  }, [])
  const [isChoosing, setChoosing] = useState(false)
  const visible = useMemo(() => (ids.size === 0 ? [] : rows.filter((row) => ids.has(idOf(row)))), [rows, ids])
  return {
    ids,
    rows: visible,
    choose,
    clear,
    /** True if a tap on a card selects the card. */
    isChoosing,
    setChoosing,
  }
}

const noIds: ReadonlySet<string> = new Set()
