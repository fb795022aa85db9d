'use client'

import { useSyncExternalStore } from 'react'

/** Returns whether the window matches the media query; `guess` is the value on the server. */
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
