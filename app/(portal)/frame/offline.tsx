import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** Says that the browser is offline while it is; queries that wait for the network go on by themselves. */
export function Offline() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
    () => true,
  )
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex justify-center px-4">
      {!isOnline && (
        <p className="flex items-center gap-2 rounded-full bg-ink px-4 py-2 text-canvas shadow-lg">
          <WifiOff aria-hidden="true" className="size-4 shrink-0" />
          You are offline. This page updates when you are back.
        </p>
      )}
    </div>
  )
}
