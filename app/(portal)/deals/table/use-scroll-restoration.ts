'use client'

import { useEffect, useRef, useState } from 'react'

/** A place in the list: how far it is scrolled in pixels, and its active row. */
interface Place {
  offset: number
  active: number
}

// Restores the position after a deal was opened.
let left: (Place & { asked: string }) | null = null

/** Returns the place at which the rows of this query were left, or null if other rows were. */
export function useScrollRestoration(asked: string): Place | null {
  const [place] = useState(() => (left?.asked === asked ? left : null))
  return place
}

/** Keeps the place at which the rows are left. `offsetOf` keeps its identity. */
export function useKeepPlace(asked: string, active: number, offsetOf: () => number) {
  const now = useRef({ asked, active })
  useEffect(() => {
    now.current = { asked, active }
  })
  useEffect(
    () => () => {
      left = { ...now.current, offset: offsetOf() }
    },
    [offsetOf],
  )
}
