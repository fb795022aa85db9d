'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { dropCachedPages } from '#app/cached-pages.ts'

/** Pages that are left earlier are not kept. */
const dwellMs = 4000

/** Keeps the pages that this person sees for when there is no connection (`public/sw.js`). */
export function LastSeen({ email }: { email: string }) {
  const [path, search] = [usePathname(), useSearchParams().toString()]
  useEffect(() => {
    // A page of the development server is of no use later.
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

/** Starts the service worker and drops pages cached for the previous user. */
async function startFor(email: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    const viewers = await caches.open('viewer')
    const former = await viewers.match(new Request('/'))
    if (former !== undefined && (await former.text()) !== email) await dropCachedPages()
    await viewers.put('/', new Response(email))
    await navigator.serviceWorker.register('/sw.js')
  } catch {
    // Without it pages need a connection, as before.
  }
}
