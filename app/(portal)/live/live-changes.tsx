'use client'

import { useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import { pollWithoutStreamMs } from '#server/live/policy.ts'
import { minuteMs } from '#server/protocol/units.ts'
import { type Misplaced, reloadLists } from './changed-list.ts'
import { anything, changesFor } from './page-changes.ts'
import { followStream } from './shared-stream.ts'
import { listsOn, makeTaker } from './take-changes.ts'

/** How long a hidden page keeps its stream. */
const hiddenMs = minuteMs
/** Tolerance for the age of a change. */
const marginMs = 1000

/** Deals that lists on a page would show elsewhere. */
interface News {
  page: string
  deals: ReadonlySet<string> | null
}

/**
 * Keeps the visible page up to date and offers to reload lists whose deals have moved. `partnerId` is the
 * page's partner; null for all.
 */
export function LiveChanges({ email, partnerId }: { email: string; partnerId: number | null }) {
  const queryClient = useQueryClient()
  const { client } = trpc.useUtils()
  const [news, setNews] = useState<News | null>(null)

  useEffect(() => {
    const add = (found: Misplaced) => {
      if (found === null || found.length > 0) setNews((known) => withFound(known, pageOfLists(), found))
    }
    const taker = makeTaker(queryClient, client, add)
    const stop = followWhileVisible({
      name: `live ${email}`,
      message(message) {
        const changes = changesFor(message, partnerId)
        if (changes !== null) taker.take(changes)
      },
      readAgeMs: () => client.deals.age.query({}),
      missed: () => taker.take(anything),
    })
    const unsubscribe = queryClient.getQueryCache().subscribe(({ type }) => {
      // Another page, or another filter.
      if (type === 'observerAdded' || type === 'observerRemoved')
        setNews((known) => (known === null || known.page === pageOfLists() ? known : null))
    })
    return () => {
      stop()
      unsubscribe()
      taker.stop()
    }
  }, [queryClient, client, email, partnerId])

  async function show() {
    setNews(null)
    document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
    for (const scroller of document.querySelectorAll('#content .overscroll-contain'))
      scroller.scrollTo({ top: 0 })
    await reloadLists(queryClient, listsOn(queryClient))
  }

  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-4 z-20 flex justify-center px-4 print:hidden"
    >
      {news !== null && (
        <button
          type="button"
          onClick={() => void show()}
          className="pointer-events-auto flex h-10 items-center gap-2 rounded-full border border-line bg-surface px-4 font-medium shadow-lg hover:bg-sunken"
        >
          <RefreshCw aria-hidden="true" className="size-4 text-accent" />
          {news.deals === null ? 'Deals' : formatCountOf(news.deals.size, 'deal')} changed · Show
        </button>
      )}
    </div>
  )
}

/** The URL says which lists are shown. */
const pageOfLists = () => window.location.pathname + window.location.search

function withFound(known: News | null, page: string, found: Misplaced): News {
  const before = known?.page === page ? known.deals : new Set<string>()
  return { page, deals: found === null || before === null ? null : new Set([...before, ...found]) }
}

interface Following {
  /** Names the stream that the tabs of a user share. */
  name: string
  message: Parameters<typeof followStream>[1]['message']
  /** Returns how long ago deals have changed; null when there has never been one. */
  readAgeMs(): Promise<number | null>
  /** Called when deals changed while the stream was down. */
  missed(): void
}

/** Follows the stream while the page is visible, and polls for changes when there is no stream. */
function followWhileVisible({ name, message, readAgeMs, missed }: Following): () => void {
  // The page's data was read after this.
  let currentAt = performance.timeOrigin
  let isReady = false
  let stop: (() => void) | null = null
  let hiding: ReturnType<typeof setTimeout> | undefined

  async function check(): Promise<void> {
    const askedAt = Date.now()
    const ageMs = await readAgeMs()
    const hasChanged = ageMs !== null && ageMs < Date.now() - currentAt + marginMs
    currentAt = askedAt
    if (hasChanged) missed()
  }
  // Signed out, or the server cannot be reached: the next check will tell.
  const checkSoon = () => void check().catch(() => {})
  function follow(): void {
    stop ??= followStream(name, {
      ready() {
        isReady = true
        checkSoon()
      },
      lost() {
        if (isReady) currentAt = Date.now()
        isReady = false
      },
      message(received) {
        currentAt = Date.now()
        message(received)
      },
    })
  }
  function leave(): void {
    stop?.()
    stop = null
    if (isReady) currentAt = Date.now()
    isReady = false
  }
  const poll = setInterval(() => {
    if (!isReady && document.visibilityState === 'visible') checkSoon()
  }, pollWithoutStreamMs)
  function onVisibility(): void {
    clearTimeout(hiding)
    if (document.visibilityState === 'visible') follow()
    else hiding = setTimeout(leave, hiddenMs)
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('pagehide', leave)
  window.addEventListener('pageshow', onVisibility)
  onVisibility()
  return () => {
    leave()
    clearInterval(poll)
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('pageshow', onVisibility)
  }
}
