'use client'

import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useMemo,
  useRef,
  useState,
  useEffect,
  type KeyboardEvent as ReactKeyboardEvent,
  type RefObject,
} from 'react'
import { isTyping, isFocusFree, useShortcut } from '#app/ui/keyboard.tsx'
import { chosenMax } from '#server/deals/policy.ts'
import type { FoundRow } from '#server/search/router.ts'
import type { Peek } from './use-deals-state.ts'

interface Rows {
  rows: FoundRow[]
  hasMore: boolean
  loadMore: () => void
  rowHeight: number
  headHeight: number
  /** Identifies the query of the rows. Another query starts at the top. */
  listKey: string
  chosen: ReturnType<typeof useChosen>
  peek: Peek
}

const ahead = 20

/** Returns the rows to render, and moves the focus between rows. */
export function useRows({ rows, hasMore, loadMore, rowHeight, headHeight, listKey, chosen, peek }: Rows) {
  const scroller = useRef<HTMLDivElement>(null)
  // The saved position, if the user returns to the same query.
  const [place] = useState(() => (left?.listKey === listKey ? left : null))
  const [active, setActive] = useState(place?.active ?? 0)
  const at = Math.min(active, Math.max(0, rows.length - 1))

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    initialRect: { width: 1200, height: 900 },
    initialOffset: place?.offset ?? 0,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    overscan: 8,
    // Keep the focused row rendered even when it is scrolled out of view.
    rangeExtractor: (range) => withRow(at, range),
  })
  const lastSeen = virtualizer.range?.endIndex ?? 0

  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])

  useEffect(() => {
    if (hasMore && lastSeen >= rows.length - ahead) loadMore()
  }, [hasMore, lastSeen, rows.length, loadMore])

  const listKeyBefore = useRef(listKey)
  useEffect(() => {
    if (listKeyBefore.current === listKey) return
    listKeyBefore.current = listKey
    setActive(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [listKey])

  useKeepPlace(
    listKey,
    at,
    useCallback(() => virtualizer.scrollOffset ?? 0, [virtualizer]),
  )

  const focusRow = useRowFocus(scroller, at, place !== null)
  function go(to: number) {
    const index = Math.max(0, Math.min(rows.length - 1, to))
    setActive(index)
    if (peek.id !== null && rows[index] !== undefined) peek.show(String(rows[index].id))
    virtualizer.scrollToIndex(index)
    // If the row is already rendered, no effect focuses it.
    focusRow(index)
  }

  const onKeyDown = useRowKeys({
    onKey: (key) => actOn(key, rows[at], at, chosen, peek),
    at,
    go,
    page: () =>
      Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 600) - headHeight) / rowHeight) - 1),
    last: rows.length - 1,
  })

  return {
    scroller,
    items: virtualizer.getVirtualItems(),
    at,
    height: virtualizer.getTotalSize(),
    start: headHeight,
    onFocus: setActive,
    onKeyDown,
    enter: () => go(at),
  }
}

function withRow(row: number, range: Range): number[] {
  const indexes = new Set(defaultRangeExtractor(range))
  if (row < range.count) indexes.add(row)
  return [...indexes].toSorted((a, b) => a - b)
}

/** Moves between rows by keyboard, unless another element handles the key. */
function useRowKeys({
  at,
  go,
  page,
  last,
  onKey,
}: {
  at: number
  go: (to: number) => void
  page: () => number
  last: number
  onKey: (key: string) => boolean
}) {
  function move(
    event: Pick<KeyboardEvent, 'key' | 'preventDefault' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
    isInRows: boolean,
  ): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if ((isInRows || event.key === 'Escape') && !event.shiftKey && onKey(event.key))
      return event.preventDefault()
    if (event.shiftKey) return
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    const to =
      step === undefined
        ? { PageDown: at + page(), PageUp: at - page(), Home: 0, End: last }[event.key]
        : at + (isInRows ? step : 0)
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }

  useShortcut((_, event) => {
    if (event.target === document.body) move(event, false)
    return false
  })

  return (event: ReactKeyboardEvent) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('[data-index] a') : null
    if (link === null || isTyping(event.target)) return
    move(event, true)
    if (event.key === 'Escape' && !event.defaultPrevented) link.blur()
  }
}

/** Handles keys that select rows, preview deals, or cancel both. */
function actOn(key: string, row: FoundRow | undefined, index: number, chosen: Rows['chosen'], peek: Peek) {
  if (row === undefined) return false
  const id = String(row.id)
  if (key === 'x') chosen.choose(index)
  else if (key === ' ') peek.show(peek.id === id ? null : id)
  else if (key === 'Escape' && peek.id !== null) peek.show(null)
  else if (key === 'Escape' && chosen.ids.size > 0) chosen.clear()
  else return false
  return true
}

/** Focuses a row's link once it is rendered, and the deal's row when the user returns from it (`isBack`). */
function useRowFocus(scroller: RefObject<HTMLElement | null>, at: number, isBack: boolean) {
  const isWanted = useRef(false)

  function focus(index: number) {
    if (!isWanted.current) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
    if (!link) return
    isWanted.current = false
    link.focus({ preventScroll: true })
  }

  useEffect(() => {
    if (isBack && isFocusFree()) isWanted.current = true
  }, [isBack])
  useEffect(() => focus(at))

  return (index: number) => {
    isWanted.current = true
    focus(index)
  }
}

interface Place {
  offset: number
  active: number
}

// Position in the list before a deal was opened.
let left: (Place & { listKey: string }) | null = null

/** Stores the position in the list when the user leaves the page. `offsetOf` must be a stable function. */
function useKeepPlace(listKey: string, active: number, offsetOf: () => number) {
  const now = useRef({ listKey, active })
  now.current = { listKey, active }
  useEffect(
    () => () => {
      left = { ...now.current, offset: offsetOf() }
    },
    [offsetOf],
  )
}

/** Focuses the link of the row that contains an element, so that keys continue from that row. */
export const focusRow = (within: Element) =>
  within.closest('[data-index]')?.querySelector('a')?.focus({ preventScroll: true })

/** Returns the focus to the active row after a panel next to the list was closed. */
export const focusActiveRow = () =>
  document.querySelector<HTMLElement>('[data-index] a[tabindex="0"]')?.focus({ preventScroll: true })

const idOf = ({ id }: FoundRow) => String(id)

/** Selects rows or a range. Deselects rows that leave the list, and all rows when the query changes. */
export function useChosen(rows: FoundRow[], listKey: string) {
  const [chosen, setChosen] = useState<{ listKey: string; ids: ReadonlySet<string> }>({
    listKey,
    ids: new Set(),
  })
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
    isChoosing,
    setChoosing,
  }
}

const noIds: ReadonlySet<string> = new Set()
