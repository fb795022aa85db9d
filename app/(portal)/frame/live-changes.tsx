'use client'

import { useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { formatCountOf } from '#app/ui/format.ts'
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
    const stop = followWhileVisible({
      message(message) {
        const changes = changesFor(message, partnerId)
        if (changes !== null) taker.take(changes)
      },
      readAgeMs: () => client.deals.age.query({}),
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

interface StreamHandlers {
  /** Returns how old the page's data is, in milliseconds. */
  ageMs(): number
  /** Called when the stream is connected, and while it is. No change before the call is missed. */
  current(): void
  /** Called when the server may not know every change since the page's data was read. */
  stale(): void
  message(message: LiveMessage): void
  /** Called when the stream is down, until `current` is called again. */
  lost(): void
}

interface Following extends Pick<StreamHandlers, 'message'> {
  readAgeMs(): Promise<number | null>
  /** Called when changes may have been missed. False if no deal changed. */
  missed(hasDeals: boolean): void
}

/** Follows the stream, or polls without it, while visible: browsers allow six connections per host. */
function followWhileVisible({ message, readAgeMs, missed }: Following): () => void {
  // The page's data is at least as recent as this time.
  let currentAt = performance.timeOrigin
  let isReady = false
  let close: (() => void) | null = null

  async function check(): Promise<void> {
    // The stream may report newer changes in the meantime.
    const since = currentAt
    const checkedAt = Date.now()
    const ageMs = await readAgeMs()
    const hasDeals = ageMs !== null && ageMs < Date.now() - since + marginMs
    currentAt = checkedAt
    missed(hasDeals)
  }
  // Fails when signed out or offline. The next check decides.
  const checkSoon = () => void check().catch(() => {})
  function lost(): void {
    isReady = false
  }
  function leave(): void {
    close?.()
    close = null
    lost()
  }
  const poll = setInterval(() => {
    if (!isReady && document.visibilityState === 'visible') checkSoon()
  }, pollWithoutStreamMs)
  function onVisibility(): void {
    if (document.visibilityState === 'hidden') return leave()
    close ??= openStream({
      lost,
      ageMs: () => Math.round(Date.now() - currentAt + marginMs),
      current() {
        isReady = true
        currentAt = Date.now()
      },
      // `ready` follows and stops polling, so nothing retries this check. If it fails, assume that deals changed.
      stale: () => void check().catch(() => missed(true)),
      message(received) {
        currentAt = Date.now()
        message(received)
      },
    })
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('pagehide', leave)
  window.addEventListener('pageshow', onVisibility)
  onVisibility()
  return () => {
    leave()
    clearInterval(poll)
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('pageshow', onVisibility)
  }
}

const retryMinMs = 1000
const retryMaxMs = minuteMs
/** Retry delay after the server closed the stream in favor of another one of the same user. */
const fullMs = 5 * minuteMs

/** Opens the stream, and reopens it whenever it ends. Returns a function that closes it. */
function openStream({ ageMs, current, stale, message, lost }: StreamHandlers): () => void {
  let source: EventSource
  let timer: ReturnType<typeof setTimeout>
  let failures = 0
  function open(): void {
    source = new EventSource(`/live?age=${ageMs()}`)
    source.addEventListener(streamEvents.ready, () => {
      failures = 0
      current()
    })
    source.addEventListener(streamEvents.stale, stale)
    source.addEventListener(streamEvents.ping, () => {
      watch()
      current()
    })
    source.addEventListener(streamEvents.full, () => openLater(fullMs))
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      watch()
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
    source.close()
    clearTimeout(timer)
  }
  function openLater(ms: number): void {
    close()
    lost()
    timer = setTimeout(open, ms)
  }
  open()
  return close
}
