'use client'

import { useSyncExternalStore } from 'react'

/** Whether the window is as the media query says; `guess` is what the server takes it for. */
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
