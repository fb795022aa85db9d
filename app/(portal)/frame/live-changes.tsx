'use client'

import { useQueryClient } from '@tanstack/react-query'
import type { TRPCClient } from '@trpc/client'
import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
import type { Api } from '#server/api.ts'
import { pollWithoutStreamMs } from '#server/live/policy.ts'
import { type LiveMessage, pingMs, streamEvents } from '#server/live/wire.ts'
import { minuteMs } from '#server/values/units.ts'
import { anything, changesFor, type Misplaced, listsOn, makeTaker, reloadLists } from './take-changes.ts'

const marginMs = 1000

interface News {
  page: string
  deals: ReadonlySet<string> | null
}

/** Keeps the page of a partner (or all) up to date, and offers to reload lists whose deals have moved. */
export function LiveChanges({ partnerId }: { partnerId: number | null }) {
  const queryClient = useQueryClient()
  const { client } = trpc.useUtils()
  const [news, setNews] = useState<News | null>(null)

  useEffect(() => {
    const add = (found: Misplaced) => {
      if (found === null || found.length > 0) setNews((known) => withFound(known, pageOfLists(), found))
    }
    const taker = makeTaker(queryClient, client, add)
    const stop = followWhileVisible(client, {
      message(message) {
        const changes = changesFor(message, partnerId)
        if (changes !== null) taker.take(changes)
      },
      missed: (hasDeals) => taker.take(hasDeals ? anything : { ...anything, deals: new Set() }),
    })
    const unsubscribe = queryClient.getQueryCache().subscribe(({ type }) => {
      // Discard changes of a previous page or filter.
      if (type === 'observerAdded' || type === 'observerRemoved')
        setNews((known) => (known === null || known.page === pageOfLists() ? known : null))
    })
    return () => {
      stop()
      unsubscribe()
      taker.stop()
    }
  }, [queryClient, client, partnerId])

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

const pageOfLists = () => window.location.pathname + window.location.search

function withFound(known: News | null, page: string, found: Misplaced): News {
  const before = known?.page === page ? known.deals : new Set<string>()
  return { page, deals: found === null || before === null ? null : new Set([...before, ...found]) }
}

interface AgeClient {
  deals: Pick<TRPCClient<Api>['deals'], 'age'>
}

interface Following {
  message(message: LiveMessage): void
  /** Called when changes may have been missed. False if no deal changed. */
  missed(hasDeals: boolean): void
}

const retryMinMs = 1000
const retryMaxMs = minuteMs
/** Retry delay after the server closed the stream in favor of another one of the same user. */
const fullMs = 5 * minuteMs

/** Follows the stream, or polls without it, while visible: browsers allow six connections per host. */
export function followWhileVisible(client: AgeClient, following: Following): () => void {
  const stream = makeStream(client, following)
  let isOpen = false
  function leave(): void {
    isOpen = false
    stream.close()
  }
  function onVisibility(): void {
    if (document.visibilityState === 'hidden') return leave()
    if (isOpen) return
    isOpen = true
    stream.open()
  }
  const polling = setInterval(() => {
    if (document.visibilityState === 'visible') stream.poll()
  }, pollWithoutStreamMs)
  const stopped = new AbortController()
  const { signal } = stopped
  document.addEventListener('visibilitychange', onVisibility, { signal })
  window.addEventListener('pagehide', leave, { signal })
  window.addEventListener('pageshow', onVisibility, { signal })
  onVisibility()
  return () => {
    stopped.abort()
    clearInterval(polling)
    leave()
  }
}

/** Makes a stream that reopens whenever it ends, until it is closed. */
function makeStream({ deals }: AgeClient, { message, missed }: Following) {
  // The page's data is at least as recent as this time.
  let currentAt = performance.timeOrigin
  let isReady = false
  let failures = 0
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout>

  async function check(): Promise<void> {
    // The stream may report newer changes in the meantime.
    const since = currentAt
    const checkedAt = Date.now()
    const ageMs = await deals.age.query({})
    const hasDeals = ageMs !== null && ageMs < Date.now() - since + marginMs
    currentAt = checkedAt
    missed(hasDeals)
  }
  function current(): void {
    isReady = true
    currentAt = Date.now()
  }
  function open(): void {
    source = new EventSource(`/live?age=${Math.round(Date.now() - currentAt + marginMs)}`)
    source.addEventListener(streamEvents.ready, () => {
      failures = 0
      current()
    })
    // `ready` follows and stops polling, so nothing retries this check. If it fails, assume that deals changed.
    source.addEventListener(streamEvents.stale, () => void check().catch(() => missed(true)))
    source.addEventListener(streamEvents.ping, () => {
      watch()
      current()
    })
    source.addEventListener(streamEvents.full, () => openLater(fullMs))
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      watch()
      currentAt = Date.now()
      message(JSON.parse(data) as LiveMessage)
    })
    // Random delay, so that not all pages reconnect to a restarted server at the same time.
    source.addEventListener('error', () =>
      openLater(Math.min(retryMaxMs, retryMinMs * 2 ** failures++) * (1 + Math.random())),
    )
    watch()
  }
  /** Reconnects when pings stop: connections break without an error after sleep or a network change. */
  function watch(): void {
    clearTimeout(timer)
    timer = setTimeout(() => openLater(0), 3 * pingMs)
  }
  function close(): void {
    source?.close()
    clearTimeout(timer)
    isReady = false
  }
  function openLater(ms: number): void {
    close()
    timer = setTimeout(open, ms)
  }
  function poll(): void {
    // Fails when signed out or offline. The next check decides.
    if (!isReady) void check().catch(() => {})
  }
  return { open, close, poll }
}
