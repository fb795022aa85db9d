import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react'

const pressMs = 500

/** A resting finger moves by a few pixels. */
const restPx = 10

interface Press {
  x: number
  y: number
  timer: ReturnType<typeof setTimeout>
  /** Whether it was long enough: the browser's own action is then suppressed. */
  isLong: boolean
}

/** Returns the handlers of a list whose items, `li`, support long presses. */
export function useLongPress(onPress: (item: HTMLElement) => void) {
  const press = useRef<Press | null>(null)
  const end = () => clearTimeout(press.current?.timer)
  useEffect(() => end, [])
  const drop = (event: MouseEvent) => {
    event.preventDefault()
    event.stopPropagation()
  }
  return {
    onPointerDown({ pointerType, isPrimary, clientX: x, clientY: y, target }: PointerEvent) {
      end()
      press.current = null
      const item = (target as Element).closest('li')
      if (pointerType !== 'touch' || !isPrimary || item === null) return
      const timer = setTimeout(() => {
        press.current!.isLong = true
        onPress(item)
      }, pressMs)
      press.current = { x, y, timer, isLong: false }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const begun = press.current
      if (begun !== null && Math.hypot(clientX - begun.x, clientY - begun.y) > restPx) end()
    },
    onPointerUp: end,
    // The browser scrolls.
    onPointerCancel: end,
    // For a link under a finger; a mouse has its context menu.
    onContextMenu(event: MouseEvent) {
      if (press.current !== null) drop(event)
    },
    onClickCapture(event: MouseEvent) {
      if (press.current?.isLong) drop(event)
    },
  }
}
