'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { dropCachedPages } from '#app/cached-pages.ts'

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

/** Starts the service worker and drops pages cached for another user. */
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
