'use client'

import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent as ReactKeyboardEvent,
  type RefObject,
} from 'react'
import { isTyping, isFocusFree } from '#app/ui/focus.ts'
import { useShortcut } from '#app/ui/use-shortcut.ts'
import type { Peek } from '../use-deals-state.ts'
import type { Row } from '../use-deals.ts'
import type { useChosen } from './use-chosen.ts'

interface Rows {
  rows: Row[]
  /** Whether more rows can be loaded. */
  hasMore: boolean
  loadMore: () => void
  /** Pixels. */
  rowHeight: number
  /** The height of the sticky header in pixels. */
  headHeight: number
  /** The query of the rows; another query starts at the top. */
  listKey: string
  chosen: ReturnType<typeof useChosen>
  peek: Peek
}

/** How many rows before the end the next page is loaded. */
const ahead = 20

/** Returns the rows to render and moves the focus between them. */
export function useRows({ rows, hasMore, loadMore, rowHeight, headHeight, listKey, chosen, peek }: Rows) {
  const scroller = useRef<HTMLDivElement>(null)
  // Where the rows of this query were left.
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
    // The focused row stays rendered, however far the list is scrolled.
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
    // An already rendered row causes no new render.
    focusRow(index)
  }

  const onKeyDown = useRowKeys({
    onKey: rowKeys({ rows, chosen, peek }),
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

/** Moves between rows by keyboard, from anywhere on the page that does not use the keys itself. */
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
  /** Handles a row's keys other than movement. Returns whether it handled the key. */
  onKey: (key: string, at: number) => boolean
}) {
  function move(
    event: Pick<KeyboardEvent, 'key' | 'preventDefault' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
    isInRows: boolean,
  ): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if ((isInRows || event.key === 'Escape') && !event.shiftKey && onKey(event.key, at))
      return event.preventDefault()
    if (event.shiftKey) return
    const targets: Record<string, () => number> = {
      ArrowDown: () => (isInRows ? at + 1 : at),
      ArrowUp: () => (isInRows ? at - 1 : at),
      PageDown: () => at + page(),
      PageUp: () => at - page(),
      Home: () => 0,
      End: () => last,
      j: () => (isInRows ? at + 1 : at),
      k: () => (isInRows ? at - 1 : at),
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    go(target())
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

/** Handles a row's keys other than movement: select, peek, and clear both. */
const rowKeys =
  ({
    rows,
    chosen,
    peek,
  }: {
    rows: Row[]
    chosen: Pick<ReturnType<typeof useChosen>, 'ids' | 'choose' | 'clear'>
    peek: Peek
  }) =>
  /** Returns whether it handled the key, pressed in the row at this index. */
  (key: string, index: number): boolean => {
    const row = rows[index]
    if (row === undefined) return false
    const id = String(row.id)
    if (key === 'x') chosen.choose(index)
    else if (key === ' ') peek.show(peek.id === id ? null : id)
    else if (key === 'Escape' && peek.id !== null) peek.show(null)
    else if (key === 'Escape' && chosen.ids.size > 0) chosen.clear()
    else return false
    return true
  }

/**
 * Returns a function that focuses a row's link: right away, or once the row at `at` is rendered.
 * After returning from a deal (`isBack`), its row gets the focus, unless something else has it.
 */
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

/** A position in the list: its scroll offset in pixels, and its active row. */
interface Place {
  offset: number
  active: number
}

// Restores the position after a deal was opened.
let left: (Place & { listKey: string }) | null = null

/** Stores the position at which the rows are left. `offsetOf` keeps its identity. */
function useKeepPlace(listKey: string, active: number, offsetOf: () => number) {
  const now = useRef({ listKey, active })
  useEffect(() => {
    now.current = { listKey, active }
  })
  useEffect(
    () => () => {
      left = { ...now.current, offset: offsetOf() }
    },
    [offsetOf],
  )
}

/** Focuses the link of an element's row, from which the list's keys continue. */
export const focusRow = (within: Element) =>
  within.closest('[data-index]')?.querySelector('a')?.focus({ preventScroll: true })

/** Returns the focus to the active row after content next to the rows was closed. */
export const focusActiveRow = () =>
  document.querySelector<HTMLElement>('[data-index] a[tabindex="0"]')?.focus({ preventScroll: true })
