'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { dropCachedPages } from '#app/cached-pages.ts'
import { trpc } from '#app/trpc.ts'
import { formatCount } from '#app/ui/format.ts'
import { unreadMax } from '#server/notifications/policy.ts'
import { minuteMs } from '#server/values/units.ts'

/** Shows the number of unread notifications in the link to the notifications. */
export function UnreadCount() {
  const { data: count = 0 } = trpc.notifications.unread.useQuery(undefined, { staleTime: minuteMs })
  if (count === 0) return null
  const visible = count < unreadMax ? formatCount(count) : formatCount(unreadMax - 1, true)
  return (
    <span className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem]/4.5 font-semibold text-on-accent tabular-nums">
      {visible}
      <span className="sr-only"> unread</span>
    </span>
  )
}

const often = { refetchInterval: minuteMs }

/** Shows a mark on the account menu when webhooks fail or tokens expire soon. */
export function ManageAlert() {
  const { data: troubled = [] } = trpc.webhooks.troubled.useQuery(undefined, often)
  const { data: expiring } = trpc.tokens.expiring.useQuery(undefined, often)
  const problems = [
    ...(troubled.length > 0 ? ['Webhooks are failing'] : []),
    ...(expiring !== undefined && expiring.count > 0 ? ['Tokens expire soon'] : []),
  ]
  if (problems.length === 0) return null
  return (
    <span
      role="img"
      aria-label={problems.join('. ')}
      title={problems.join('. ')}
      className="absolute top-0 right-0 size-3 sm:right-7 rounded-full border-2 border-surface bg-bad"
    />
  )
}

/** Pages viewed for less time are not cached. */
const dwellMs = 4000

/** Caches the pages that the user views, for offline use (`public/sw.js`). */
export function LastSeen({ email }: { email: string }) {
  const [path, search] = [usePathname(), useSearchParams().toString()]
  useEffect(() => {
    // Do not cache pages of the development server.
    if (process.env.NODE_ENV === 'production') void startFor(email)
  }, [email])
  useEffect(() => {
    const timer = setTimeout(() => {
      navigator.serviceWorker?.controller?.postMessage({ keep: window.location.href })
    }, dwellMs)
    return () => clearTimeout(timer)
  }, [path, search])
  return null
}

async function startFor(email: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    const viewers = await caches.open('viewer')
    const former = await viewers.match(new Request('/'))
    if (former !== undefined && (await former.text()) !== email) await dropCachedPages()
    await viewers.put('/', new Response(email))
    await navigator.serviceWorker.register('/sw.js')
  } catch {
    // If the service worker fails to start, pages are not available offline.
  }
}
