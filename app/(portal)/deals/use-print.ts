'use client'

import { useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { useDeals } from './use-deals.ts'

/** The most deals that are printed, some 60 pages. */
const printedMax = 2000

/** Returns whether the page is being printed, and what prints it with all deals that were found. */
export function usePrint({
  rows,
  hasNextPage,
  fetchNextPage,
}: Pick<ReturnType<typeof useDeals>, 'rows' | 'hasNextPage' | 'fetchNextPage'>) {
  const [isPrinting, setPrinting] = useState(false)
  const loaded = useRef({ count: 0, hasMore: false })
  loaded.current = { count: rows?.length ?? 0, hasMore: hasNextPage }

  useEffect(() => {
    // The browser takes the page as it is when the handler returns.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])

  const print = useCallback(async () => {
    let { count, hasMore } = loaded.current
    while (hasMore && count < printedMax) {
      const next = await fetchNextPage()
      if (next.isError) break
      hasMore = next.hasNextPage
      count += next.data?.pages.at(-1)?.value().deals.length ?? 0
    }
    window.print()
  }, [fetchNextPage])

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (key.toLowerCase() !== 'p' || !(ctrlKey || metaKey) || altKey || shiftKey) return
      event.preventDefault()
      void print()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [print])

  return { isPrinting, print }
}
