'use client'

import { type RefObject, useEffect, useRef } from 'react'

/** Returns a function that focuses a row's link: at once, or when the row is rendered as the one at `at`. */
export function useRowFocus(scroller: RefObject<HTMLElement | null>, at: number) {
  const isWanted = useRef(false)

  function focus(index: number) {
    if (!isWanted.current) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
    if (!link) return
    isWanted.current = false
    link.focus({ preventScroll: true })
  }

  useEffect(() => focus(at))

  return (index: number) => {
    isWanted.current = true
    focus(index)
  }
}
