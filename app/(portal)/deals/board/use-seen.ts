'use client'

import { type RefObject, useEffect, useState } from 'react'

/** Whether an element is or was in sight, or nearly: for what is read when it is first looked at. */
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
