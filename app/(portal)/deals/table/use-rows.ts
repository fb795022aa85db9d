'use client'

import { type Range, defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Row } from '../use-deals.ts'
import type { Peek } from '../use-peek.ts'
import { rowKeys } from './row-keys.ts'
import type { useChosen } from './use-chosen.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useKeepPlace, useScrollRestoration } from './use-scroll-restoration.ts'

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
  chosen: ReturnType<typeof useChosen>
  peek: Peek
}

/** How many rows before the end the next page is loaded. */
const ahead = 20

/** Returns the rows to render and moves the focus between them. */
export function useRows({ rows, hasMore, loadMore, rowHeight, headHeight, asked, chosen, peek }: Rows) {
  const scroller = useRef<HTMLDivElement>(null)
  const place = useScrollRestoration(asked)
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

  const askedBefore = useRef(asked)
  useEffect(() => {
    if (askedBefore.current === asked) return
    askedBefore.current = asked
    setActive(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [asked])

  useKeepPlace(
    asked,
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
    onKey: rowKeys({ rows, go, chosen, peek }),
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
