'use client'

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useRef, useState } from 'react'
import { isTyping } from '#app/ui/typing.ts'
import type { Row } from '../use-deals.ts'

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
  asked: string
}

/** How many rows before the last the next page is loaded. */
const ahead = 20

// Restores the position after a deal was opened.
let left: { asked: string; offset: number; active: number } | null = null

/** Returns the rows to render and moves the focus between them. */
export function useRows({ rows, hasMore, loadMore, rowHeight, headHeight, asked }: Rows) {
  const scroller = useRef<HTMLDivElement>(null)
  const [place] = useState(() => (left?.asked === asked ? left : null))
  const [active, setActive] = useState(place?.active ?? 0)
  const isFocusWanted = useRef(false)
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
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...(at < range.count ? [at] : [])])].toSorted(
        (a, b) => a - b,
      ),
  })
  const items = virtualizer.getVirtualItems()
  const lastSeen = virtualizer.range?.endIndex ?? 0

  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])

  useEffect(() => {
    if (hasMore && lastSeen >= rows.length - ahead) loadMore()
  }, [hasMore, lastSeen, rows.length, loadMore])

  const askedBefore = useRef(asked)
  useEffect(() => {
    if (askedBefore.current === asked) return
    askedBefore.current = asked
    setActive(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [asked])

  const now = useRef({ asked, active: at })
  useEffect(() => {
    now.current = { asked, active: at }
  })
  useEffect(
    () => () => {
      left = { ...now.current, offset: virtualizer.scrollOffset ?? 0 }
    },
    [virtualizer],
  )

  function go(to: number) {
    const index = Math.max(0, Math.min(rows.length - 1, to))
    isFocusWanted.current = true
    setActive(index)
    virtualizer.scrollToIndex(index)
    // An already rendered row causes no new render.
    focusOn(linkAt(index))
  }

  const linkAt = (index: number) =>
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`) ?? null

  function focusOn(link: HTMLElement | null) {
    if (link === null || !isFocusWanted.current) return
    isFocusWanted.current = false
    link.focus({ preventScroll: true })
  }

  useEffect(() => {
    if (isFocusWanted.current) focusOn(linkAt(at))
  })

  const move = useMoves({
    at,
    go,
    page: () =>
      Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 600) - headHeight) / rowHeight) - 1),
    last: rows.length - 1,
  })

  return {
    scroller,
    items,
    at,
    height: virtualizer.getTotalSize(),
    start: headHeight,
    onFocus: setActive,
    onKeyDown: move,
    enter: () => go(at),
  }
}

/** Moves between rows by keyboard, from anywhere on the page that does not use the keys itself. */
function useMoves({
  at,
  go,
  page,
  last,
}: {
  at: number
  go: (to: number) => void
  page: () => number
  last: number
}) {
  function move(
    event: Pick<KeyboardEvent, 'key' | 'preventDefault' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
    isInRows: boolean,
  ): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const targets: Record<string, () => number> = {
      ArrowDown: () => (isInRows ? at + 1 : at),
      ArrowUp: () => (isInRows ? at - 1 : at),
      PageDown: () => at + page(),
      PageUp: () => at - page(),
      Home: () => 0,
      End: () => last,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    go(target())
  }

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.target === document.body && !event.defaultPrevented) move(event, false)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  })

  return (event: ReactKeyboardEvent) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('[data-index] a') : null
    if (link === null || isTyping(event.target)) return
    if (event.key === 'Escape') link.blur()
    else move(event, true)
  }
}
