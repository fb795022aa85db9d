import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { dropCachedPages, isUnseen, keptAt, sessionLeftMs } from '#app/cached-pages.ts'
import { useFormat } from '#app/ui/zone.tsx'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)

/** How often to retry loading a cached page. */
const retryMs = 5000

/**
 * How often to check whether the session has expired; a single long timer would stop while the computer
 * sleeps.
 */
const endCheckMs = 10_000

/** Reloads the page once the server is reachable; `navigator.onLine` alone does not tell. */
function reloadOnceReached(): void {
  if (!navigator.onLine) return
  const probe = new Image()
  probe.addEventListener('load', () => window.location.reload())
  probe.src = `/icons/192.png?${Date.now()}`
}

/** Drops cached data and leaves the page when the session expires while the server is unreachable. */
async function endWithSession(): Promise<void> {
  if (sessionLeftMs() > 0 || (keptAt() === null && onlineManager.isOnline())) return
  await dropCachedPages()
  window.location.reload()
}

/** Shows an offline banner and the age of a cached page, and reloads a cached page when back online. */
export function Offline() {
  const isOnline = useSyncExternalStore(
    subscribe,
    () => onlineManager.isOnline(),
    () => true,
  )
  const keptMs = useSyncExternalStore(
    subscribe,
    () => keptAt()?.getTime() ?? null,
    () => null,
  )
  const { formatClock } = useFormat()
  useEffect(() => {
    onlineManager.setOnline(navigator.onLine)
    if (keptAt() === null) return
    const timer = setInterval(reloadOnceReached, retryMs)
    return () => clearInterval(timer)
  }, [])
  useEffect(() => {
    const timer = setInterval(() => void endWithSession(), endCheckMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex justify-center px-4">
      {(!isOnline || keptMs !== null) && (
        <p className="flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-canvas shadow-lg">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          {keptMs === null || isUnseen()
            ? 'Offline. This page updates when you are back.'
            : `Offline. Showing data from ${formatClock(new Date(keptMs))}`}
        </p>
      )}
    </div>
  )
}
