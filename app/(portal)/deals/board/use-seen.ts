'use client'

import { type RefObject, useEffect, useState } from 'react'

/** Returns whether an element has come near the visible area, to load its content only then. */
export function useSeen(element: RefObject<Element | null>, isSeenAtOnce: boolean): boolean {
  const [isSeen, setSeen] = useState(isSeenAtOnce)
  useEffect(() => {
    if (isSeen || element.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: '0px 300px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}
