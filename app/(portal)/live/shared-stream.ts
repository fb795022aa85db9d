import { type LiveMessage, pingMs, streamEvents } from '#server/live/wire.ts'
import { minuteMs } from '#server/protocol/units.ts'

/** Stream callbacks. */
interface StreamHandlers {
  /** The stream is connected; no change is missed from now on. */
  ready(): void
  message(message: LiveMessage): void
  /** The stream is down until `ready` is called again. */
  lost(): void
}

type StreamEvent = { kind: 'ready' | 'lost' | 'join' } | { kind: 'message'; message: LiveMessage }

const retryMinMs = 1000
const retryMaxMs = minuteMs
/** After another stream of the same user has taken the place of this one. */
const fullMs = 5 * minuteMs

/**
 * Follows the stream of changes shared by a browser's tabs: a browser opens at most six connections per host,
 * and each stream uses one. `name` identifies the user. One tab holds the lock and the stream, and forwards
 * messages to the others. Without locks (plain http) there is no stream. Returns a function that stops it.
 */
export function followStream(name: string, handlers: StreamHandlers): () => void {
  handlers.lost()
  if (navigator.locks === undefined) return () => {}
  const channel = new BroadcastChannel(name)
  const stopping = new AbortController()
  let isReady = false
  let isLeader = false

  // A channel reaches this origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const post = (event: StreamEvent) => channel.postMessage(event)
  function take(event: StreamEvent): void {
    if (event.kind === 'message') handlers.message(event.message)
    else if ((event.kind === 'ready') !== isReady) {
      isReady = event.kind === 'ready'
      handlers[isReady ? 'ready' : 'lost']()
    }
  }
  function broadcast(event: StreamEvent): void {
    if (stopping.signal.aborted) return
    take(event)
    post(event)
  }
  channel.addEventListener('message', ({ data: event }: MessageEvent<StreamEvent>) => {
    if (event.kind !== 'join') take(event)
    else if (isLeader && isReady) post({ kind: 'ready' })
  })
  post({ kind: 'join' })
  void navigator.locks
    .request(name, { signal: stopping.signal }, () => {
      isLeader = true
      // The leading tab is gone, and changes since then are lost.
      broadcast({ kind: 'lost' })
      return holdStream(broadcast, stopping.signal)
    })
    .catch(() => {})
  return () => {
    stopping.abort()
    channel.close()
  }
}

/** Holds the stream until it is stopped, and opens it again whenever it ends. */
function holdStream(broadcast: (event: StreamEvent) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout>
    let failures = 0
    function open(): void {
      source = new EventSource('/live')
      source.addEventListener(streamEvents.ready, () => {
        failures = 0
        broadcast({ kind: 'ready' })
      })
      source.addEventListener(streamEvents.ping, watch)
      source.addEventListener(streamEvents.full, () => openLater(fullMs))
      source.addEventListener('message', ({ data }: MessageEvent<string>) => {
        watch()
        broadcast({ kind: 'message', message: JSON.parse(data) as LiveMessage })
      })
      // Not all pages come back at the same time to a server that starts again.
      source.addEventListener('error', () =>
        openLater(Math.min(retryMaxMs, retryMinMs * 2 ** failures++) * (1 + Math.random())),
      )
      watch()
    }
    /** Reconnects when pings stop: a connection cut by sleep or the network raises no error. */
    function watch(): void {
      clearTimeout(timer)
      timer = setTimeout(() => openLater(0), 3 * pingMs)
    }
    function openLater(ms: number): void {
      source.close()
      broadcast({ kind: 'lost' })
      clearTimeout(timer)
      timer = setTimeout(open, ms)
    }
    signal.addEventListener('abort', () => {
      source.close()
      clearTimeout(timer)
      resolve()
    })
    open()
  })
}
