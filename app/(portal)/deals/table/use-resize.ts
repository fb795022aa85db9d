'use client'

import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { type ColumnId, widthMax, widthMin } from '../query.ts'

/** Pixels per key press. */
const steps: Record<string, number> = { ArrowLeft: -16, ArrowRight: 16 }

const within = (width: number) => Math.round(Math.min(widthMax, Math.max(widthMin, width)))

/** Resizes columns by pointer or arrow keys. The width is saved when the drag ends; null resets it. */
export function useResize(keep: (column: ColumnId, width: number | null) => void) {
  const [pulled, setPulled] = useState<{ column: ColumnId; width: number } | null>(null)

  const handle = (column: ColumnId) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      const { currentTarget: grip, pointerId, clientX: start } = event
      const startWidth = grip.parentElement!.offsetWidth
      grip.setPointerCapture(pointerId)
      let width = startWidth
      const pull = ({ clientX }: globalThis.PointerEvent) => {
        width = within(startWidth + clientX - start)
        setPulled({ column, width })
      }
      grip.addEventListener('pointermove', pull)
      grip.addEventListener(
        'lostpointercapture',
        () => {
          grip.removeEventListener('pointermove', pull)
          setPulled(null)
          if (width !== startWidth) keep(column, width)
        },
        { once: true },
      )
    },
    // Keeps the header itself from being dragged.
    onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
    onDoubleClick: () => keep(column, null),
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const by = steps[event.key] ?? 0
      if (by === 0 && event.key !== 'Enter') return
      event.preventDefault()
      keep(column, by === 0 ? null : within(event.currentTarget.parentElement!.offsetWidth + by))
    },
  })

  return { pulled, handle }
}
