'use client'

import { useSyncExternalStore } from 'react'

/** Returns true if the window matches the media query. On the server, returns `guess`. */
export function useMedia(query: string, guess: boolean): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => matchMedia(query).matches,
    () => guess,
  )
}
