'use client'

import { useQueryStates } from 'nuqs'
import { createParser } from 'nuqs/server'
import { useCallback } from 'react'
import { navigateAfter } from '#app/ui/link.tsx'

/** The previewed deal, if any, and a function that previews another. */
export interface Peek {
  id: string | null
  show: (id: string | null) => void
}

const parsers = {
  peek: createParser({ parse: (text) => (/^-?\d{1,19}$/.test(text) ? text : null), serialize: String }),
}

/** Keeps the previewed deal in the URL: Back closes it. */
export function usePeek(): Peek {
  const [{ peek: id }, set] = useQueryStates(parsers)
  const isOpen = id !== null
  const show = useCallback(
    (next: string | null) =>
      navigateAfter(set({ peek: next }, { history: isOpen || next === null ? 'replace' : 'push' })),
    [set, isOpen],
  )
  return { id, show }
}
