'use client'

import { type KeyboardEvent as ReactKeyboardEvent, useEffect } from 'react'
import { isTyping } from '#app/ui/focus.ts'

/** Moves between rows by keyboard, from anywhere on the page that does not use the keys itself. */
export function useRowKeys({
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
  /** The keys of rows besides those that move; returns whether it took the key. */
  onKey: (key: string, at: number, isShift: boolean) => boolean
}) {
  function move(
    event: Pick<KeyboardEvent, 'key' | 'preventDefault' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>,
    isInRows: boolean,
  ): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if ((isInRows || event.key === 'Escape') && onKey(event.key, at, event.shiftKey))
      return event.preventDefault()
    if (event.shiftKey) return
    const targets: Record<string, () => number> = {
      ArrowDown: () => (isInRows ? at + 1 : at),
      ArrowUp: () => (isInRows ? at - 1 : at),
      PageDown: () => at + page(),
      PageUp: () => at - page(),
      Home: () => 0,
      End: () => last,
      ...(isInRows && { j: () => at + 1, k: () => at - 1 }),
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
    move(event, true)
    if (event.key === 'Escape' && !event.defaultPrevented) link.blur()
  }
}
