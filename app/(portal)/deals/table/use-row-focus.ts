'use client'

import { type RefObject, useEffect, useRef } from 'react'
import { isFocusFree } from '#app/ui/focus.ts'

/**
 * Returns a function that focuses a row's link: at once, or when the row is rendered as the one at `at`. After
 * going back from a deal (`isBack`) its row gets the focus, unless something has it already.
 */
export function useRowFocus(scroller: RefObject<HTMLElement | null>, at: number, isBack: boolean) {
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
